extension Resource {
  /// Sends a request that leaves this resource's state alone. (STA-02, REQ-01)
  ///
  /// Order of events: URL and method, configured headers, the body's type and bytes, `requestMutation`,
  /// configured mutations, decorators, then tracked and started (MUT-01, DEC-11). What cannot be sent
  /// comes back already completed with a failure, untracked (REQ-25). Lua: `resource:request(…)`.
  @discardableResult
  public func request(
    _ method: RequestMethod, body: RequestBody? = nil,
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(method, body: body, adHoc: requestMutation.map { AdHocMutation($0) })
  }

  /// The same with a mutation that may be of the host's.
  package func request(_ method: RequestMethod, body: RequestBody?, adHoc mutation: AdHocMutation?)
    -> Request
  {
    do throws(RequestBodyFailure) {
      return prepared(method, adHoc: try adHoc(body, mutation)).start()
    } catch {
      return failedBeforeSending(error.cause, method: method)
    }
  }

  /// A body and what is done after it, as one edit of the request.
  func adHoc(_ body: RequestBody?, _ mutation: AdHocMutation?) throws(RequestBodyFailure)
    -> AdHocMutation?
  {
    guard let body else { return mutation }
    let encoded = try body.encoded()
    return AdHocMutation(by: mutation?.maker) {
      [unowned pump] (http: inout HTTPRequest) throws(RequestError) in
      do throws(TransportError) {
        try encoded.put(into: &http)
      } catch {
        throw RequestError(
          httpStatusCode: nil, entity: nil, cause: .transport(error), timestamp: pump.clock.now)
      }
      try mutation?.edit(&http)
    }
  }

  /// A request that failed while it was built: completed already, never tracked. (REQ-09, REQ-25)
  package func failedBeforeSending(_ cause: RequestError.Cause, method: RequestMethod) -> Request {
    failedBeforeSending(
      RequestError(
        httpStatusCode: nil, entity: nil, cause: cause, timestamp: pump.clock.now),
      method: method)
  }

  private func failedBeforeSending(_ error: RequestError, method: RequestMethod) -> FixedRequest {
    var error = error
    error.method = method
    error.url = url.text
    return FixedRequest(.failure(error), pump: pump, resource: self, method: method)
  }

  /// Whether a request asks on the condition of the data that is there.
  enum Revalidation {
    case none
    /// It does, and again whenever it is repeated, with the validators of that time. (LOAD-04)
    case sending(ResourceState.Condition?)
    /// The same, but on that of what a cache on a disk may have. (CACHE-39)
    case awaiting
  }

  /// Builds without decorating, tracking or starting.
  ///
  /// - Parameter configuration: the method's, if it has been looked up.
  func makeRequest(
    _ method: RequestMethod, _ configuration: ResolvedConfiguration? = nil,
    revalidation: Revalidation = .none, adHoc: AdHocMutation? = nil, manner: FetchManner = .alone
  ) -> Request {
    switch record.invalidSource {
    case nil: break
    case .missing: return failedBeforeSending(.invalidURL(source: nil), method: method)
    case .unparsable(let source):
      return failedBeforeSending(.invalidURL(source: source), method: method)
    }
    noteClimbing(method)
    let configuration = configuration ?? self.resolvedConfiguration(for: method)
    if let failure = configuration.failure {
      return failedBeforeSending(failure.dated(pump.clock.now), method: method)
    }
    let revalidates: Bool
    let condition: ResourceState.Condition?
    var isAwaiting = false
    switch revalidation {
    case .none: (revalidates, condition) = (false, nil)
    case .sending(let found): (revalidates, condition) = (true, found)
    case .awaiting: (revalidates, condition, isAwaiting) = (true, nil, true)
    }
    let http: HTTPRequest
    do throws(RequestError) {
      http = try makeHTTP(
        method, configuration, condition: condition, isAwaiting: isAwaiting, adHoc: adHoc)
      if http.options?.connection.unixSocket != nil, let problem = socketProblem(of: http) {
        return failedBeforeSending(.transport(problem), method: method)
      }
    } catch {
      return failedBeforeSending(error, method: method)
    }
    let policies =
      http.method == method
      ? configuration.policies : self.resolvedConfiguration(for: http.method).policies
    let request = NetworkRequest(
      resource: self, initialMethod: method, revalidates: revalidates, adHoc: adHoc, http: http,
      policies: policies, manner: manner)
    if let maker = adHoc?.maker { pump.host?.requestMade(request, by: maker) }
    return request
  }

  /// Why it must not go through the socket of its configuration: behind that is the service's own origin,
  /// and nothing else. nil if it may.
  private func socketProblem(of http: HTTPRequest) -> TransportError? {
    guard let home = service.baseURL?.origin, http.origin != home else { return nil }
    return .final(
      .connection,
      "\(http.origin) is not asked through the unix_socket of \(home): unix_socket = false, for it, "
        + "asks it directly")
  }

  /// What goes out, mutations applied and secrets sealed.
  private func makeHTTP(
    _ method: RequestMethod, _ configuration: ResolvedConfiguration,
    condition: ResourceState.Condition?, isAwaiting: Bool, adHoc: AdHocMutation?
  ) throws(RequestError) -> HTTPRequest {
    var headers = configuration.settings.headers
    if let condition { headers.set(condition.name, bytes: condition.value.bytes) }
    if isAwaiting { headers.awaitCondition() }
    // Most are sent as they are made: handed on at once, since what is edited is copied, and large.
    guard
      adHoc != nil || record.secretURL != nil || headers.hasSecrets
        || configuration.isEditing
    else {
      var http = HTTPRequest(
        method: method, url: url.percentEncoded, headers: headers,
        limits: configuration.settings.limits, options: configuration.settings.options)
      http.environment = service.environment?.name
      return http
    }
    var http = HTTPRequest(
      method: method, url: record.secretURL?.template.maskedText ?? url.percentEncoded,
      headers: headers, limits: configuration.settings.limits,
      options: configuration.settings.options)
    http.environment = service.environment?.name
    if let secretURL = record.secretURL { http.secrets = SecretUses(url: secretURL.template) }
    try adHoc?.edit(&http)
    for mutation in configuration.settings.mutations { try mutation(&http) }
    try check(http)
    let auth = configuration.settings.auth
    if auth != nil || http.secrets != nil || http.headers.hasSecrets {
      try seal(&http, auth: auth)
    }
    return http
  }

  /// What has edited it may have set what a configuration may not.
  private func check(_ http: HTTPRequest) throws(RequestError) {
    var check = SettingCheck()
    check.check(http.headers)
    check.check(http.limits)
    if let options = http.options { check.check(options) }
    guard let problem = check.problem else { return }
    throw RequestError(
      httpStatusCode: nil, entity: nil, cause: RequestError.Cause(problem),
      timestamp: pump.clock.now)
  }

  /// Says of a request whose dot segments lead out of the base URL that they do. (SVC-39)
  private func noteClimbing(_ method: RequestMethod) {
    guard pump.log.isOn(.network), let base = service.baseURL,
      url.climbs(above: base)
    else { return }
    pump.log(
      .network,
      "warning: \(method) \(LogText.url(url.text)) leads above the base URL "
        + "\(LogText.url(base.text)): its dot segments are sent as they are")
  }

  /// Builds, decorates and lists a request; the caller starts what comes of it.
  func prepared(
    _ method: RequestMethod, _ configuration: ResolvedConfiguration? = nil,
    revalidation: Revalidation = .none, adHoc: AdHocMutation? = nil, manner: FetchManner = .alone
  ) -> Request {
    pump.checkThread()
    let configuration = configuration ?? self.resolvedConfiguration(for: method)
    var request = makeRequest(
      method, configuration, revalidation: revalidation, adHoc: adHoc, manner: manner)
    guard !(request is FixedRequest) else { return request }
    // Decorators are those of the final method (CFG-17, DEC-13).
    let final =
      request.method == method
      ? configuration : self.resolvedConfiguration(for: request.method ?? .get)
    for decorate in final.settings.decorators {
      do throws(RequestError) {
        request = try decorate(self, request)
      } catch {
        return failedBeforeSending(error, method: request.method ?? .get)
      }
    }
    track(request)
    return request
  }

  /// Lists the request until it completes: out of the lists at once when cancelled, else when its
  /// hooks run, before those of the caller. (STA-03, STA-12 to STA-14)
  func track(_ request: Request) {
    guard !request.isCompleted else { return }
    // A decorator may give one request to several callers.
    guard !request.isTracked || !record.allRequests.contains(where: { $0 === request }) else {
      return
    }
    record.allRequests.append(request)
    request.track(by: record)
  }
}

/// Requests with a body, by what the body is. All of them send what `request(_:body:requestMutation:)` sends,
/// at once, and leave the resource's state alone.
extension Resource {
  /// Sends these very bytes under this content type. (REQ-06)
  /// Lua: `resource:request(method, { data = s, content_type = t })`.
  @discardableResult
  public func request(
    _ method: RequestMethod, data: [UInt8], contentType: String,
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(method, body: .data(data, contentType: contentType), requestMutation: requestMutation)
  }

  /// Sends text in an encoding, any name iconv knows, which is named in the content type. Text that
  /// the encoding cannot represent makes a request that has failed already, with the cause
  /// `unencodableText`. (REQ-07 to REQ-09) Lua: `{ text = s, encoding = e }`.
  @discardableResult
  public func request(
    _ method: RequestMethod, text: String, contentType: String = "text/plain",
    encoding: String = "utf-8",
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(
      method, body: .text(text, contentType: contentType, encoding: encoding),
      requestMutation: requestMutation)
  }

  /// Sends a JSON value as compact JSON. A number JSON does not have makes a request that has failed
  /// already, with the cause `invalidJSONObject`. (REQ-10 to REQ-14) Lua: `{ json = v }`.
  ///
  ///     notes.request("POST", json: ["title": "Tea", "tags": ["shop", 1], "due": .null])
  @discardableResult
  public func request(
    _ method: RequestMethod, json: JSONValue, contentType: String = "application/json",
    requestMutation: RequestMutation? = nil
  ) -> Request {
    send(method, contentType, requestMutation) { () throws(JSONError) in json }
  }

  /// Sends a dictionary of plain Swift values as a JSON object. Anything among them that is not JSON
  /// makes a request that has failed already, with the cause `invalidJSONObject`. (REQ-10 to REQ-14)
  // A literal that can be a `JSONValue` is one: there nested literals may mix types.
  @_disfavoredOverload
  @discardableResult
  public func request(
    _ method: RequestMethod, json: [String: Any], contentType: String = "application/json",
    requestMutation: RequestMutation? = nil
  ) -> Request {
    send(method, contentType, requestMutation) { () throws(JSONError) in
      try JSONValue(converting: json)
    }
  }

  /// Sends an array of plain Swift values as a JSON array, otherwise as above.
  @_disfavoredOverload
  @discardableResult
  public func request(
    _ method: RequestMethod, json: [Any], contentType: String = "application/json",
    requestMutation: RequestMutation? = nil
  ) -> Request {
    send(method, contentType, requestMutation) { () throws(JSONError) in
      try JSONValue(converting: json)
    }
  }

  /// Sends a value of the program's as compact JSON, as `RequestBody.json(encoding:)` makes it. What cannot
  /// be encoded makes a request that has failed already, with the cause `invalidJSONObject` and the coding
  /// path, or `custom` with what its `encode(to:)` has thrown.
  ///
  ///     notes.request("POST", encoding: Note(title: "Tea"))
  @discardableResult
  public func request(
    _ method: RequestMethod, encoding value: some Encodable,
    contentType: String = "application/json", requestMutation: RequestMutation? = nil
  ) -> Request {
    do {
      let body = try RequestBody.json(encoding: value, contentType: contentType)
      return request(method, body: body, requestMutation: requestMutation)
    } catch {
      return failedBeforeSending(RequestError.Cause(encoding: error), method: method)
    }
  }

  /// Sends a form: pairs escaped and sorted. (REQ-15 to REQ-20) Lua: `{ form = { name = value } }`.
  @discardableResult
  public func request(
    _ method: RequestMethod, urlEncoded params: [String: String],
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(
      method, body: .form(params.map { (name: $0.key, value: $0.value) }),
      requestMutation: requestMutation)
  }

  /// Sends a file, read from the disk while it goes out, under the type it brings. A file that cannot be
  /// read makes a request that has failed already, with the cause `fileUnavailable`; one that changes
  /// before it has gone out fails it with `fileChanged`. No timeout bounds it, silence does. (BODY-01 to
  /// BODY-08) Lua: `resource:put(lull.file(path))`.
  @discardableResult
  public func request(
    _ method: RequestMethod, file: UploadFile,
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(method, body: .file(file), requestMutation: requestMutation)
  }

  /// Sends a form whose values may be files, as `multipart/form-data`; those are treated as above.
  /// (BODY-10 to BODY-13) Lua: `resource:post(lull.multipart{ … })`.
  @discardableResult
  public func request(
    _ method: RequestMethod, multipart form: MultipartForm,
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(method, body: .multipart(form), requestMutation: requestMutation)
  }

  private func send(
    _ method: RequestMethod, _ contentType: String,
    _ requestMutation: RequestMutation?,
    _ value: () throws(JSONError) -> JSONValue
  ) -> Request {
    do throws(JSONError) {
      let body = RequestBody.json(try value().encode(), contentType: contentType)
      return request(method, body: body, requestMutation: requestMutation)
    } catch {
      return failedBeforeSending(.invalidJSONObject(path: error.description), method: method)
    }
  }
}

/// Answers that become files.
extension Resource {
  /// Asks for it with GET and writes what comes to a file, piece by piece; the resource's state stays as it
  /// is. (DWN-01 to DWN-18) Lua: `resource:download(path, { resume = true })`.
  ///
  /// Order of events: with the first attempt the place is looked for, and locked if it is to be resumed; the
  /// head of the answer says what comes; a success is written as it arrives and takes its name, and the place
  /// of a file that is there, when all of it is. The entity then has the path as its content, and no
  /// transformer or cache sees it. An error comes as of any other request, and what there was stays. No
  /// timeout bounds it, silence does. Fails with `fileUnavailable` if it cannot be written, or somebody else
  /// is downloading to the same part. Home thread only.
  ///
  /// - Parameters:
  ///   - path: a file, or a folder in which it is called as the server says in `Content-Disposition`, else
  ///     as the URL ends; there it replaces nothing.
  ///   - resume: whether what has come stays beside it as `NAME.part` if the request or the process ends
  ///     early, and the next download to that path goes on with it, as long as it is still the same file.
  ///   - requestMutation: edits the request; runs again when it is repeated.
  @discardableResult
  public func download(
    to path: String, resume: Bool = false, requestMutation: RequestMutation? = nil
  ) -> Request {
    download(to: ByteString(path), resume: resume, adHoc: requestMutation.map { AdHocMutation($0) })
  }

  /// The same with a path that need not be text, and a mutation that may be of the host's.
  package func download(to path: ByteString, resume: Bool, adHoc mutation: AdHocMutation?)
    -> Request
  {
    let edit = AdHocMutation(by: mutation?.maker) {
      (http: inout HTTPRequest) throws(RequestError) in
      // What is written is what is there, byte by byte.
      http.headers["accept-encoding"] = "identity"
      http.receive(into: Download(to: .file(path, allowsFolder: true), resumes: resume))
      try mutation?.edit(&http)
    }
    return prepared(.get, adHoc: edit).start()
  }
}

/// Requests whose outcome is settled from the start, and those with logic of their own: for decorators, and
/// wherever a request is wanted that no resource makes. They belong to no resource, but to the pump that
/// this thread works for: inside `Lull.run`, or where a `Pump` has been made, which a test does. Anywhere
/// else making one is a programming error, and ends the program.
extension Resource {
  /// A request that has failed with `error`, without network or pipeline. Its hooks run on a later
  /// turn, `progress` is 1, cancelling does nothing. (HW-01, HW-03 to HW-07)
  /// Lua: `lull.failed_request(error)`.
  public static func failedRequest(returning error: RequestError) -> Request {
    hardWiredRequest(returning: .failure(error))
  }

  /// A request that has ended with `response`, otherwise as above. (HW-02)
  /// Lua: `lull.hard_wired_request(response)`.
  public static func hardWiredRequest(returning response: Response) -> Request {
    FixedRequest(response, pump: Pump.ofThread(for: "Resource.hardWiredRequest(returning:)"))
  }

  /// A request whose work `delegate` does; not started (DEL-01). Lua: `lull.custom_request{…}`.
  public static func prepareRequest(using delegate: any RequestDelegate) -> Request {
    CustomRequest(
      delegate: delegate, pump: Pump.ofThread(for: "Resource.prepareRequest(using:)"))
  }
}

/// An edit of one request between configured headers and configured mutations; runs again when the
/// request is repeated (MUT-01, MUT-05, MUT-07).
package struct AdHocMutation {
  let edit: Resource.RequestMutation
  /// What of the host's it comes from; the host is told of each request it is for.
  let maker: AnyObject?

  package init(by maker: AnyObject? = nil, _ edit: @escaping Resource.RequestMutation) {
    self.maker = maker
    self.edit = edit
  }
}

extension Request {
  /// What is asked as errors say it: without the credentials that the configuration puts into a query. (QRY-03)
  var urlWithoutCredentials: String? {
    switch self {
    case let request as NetworkRequest: request.http.withoutCredentials(request.http.url)
    case let request as ChainedRequest: request.wrapped.urlWithoutCredentials
    default: url
    }
  }
}
