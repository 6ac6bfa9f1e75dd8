extension Resource {
  /// Sends a request that does not change the state of this resource. (STA-02, REQ-01)
  ///
  /// Order of events: the request is built from URL and method, configured headers, content type
  /// and body, `requestMutation`, and configured mutations. Then decorators are called, and the
  /// request is listed in `allRequests` and started (MUT-01, DEC-11). A request that can't be sent
  /// is returned as already failed and is not listed (REQ-25). Lua: `resource:request(…)`.
  @discardableResult
  public func request(
    _ method: RequestMethod, body: RequestBody? = nil,
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(method, body: body, adHoc: requestMutation.map { AdHocMutation($0) })
  }

  /// Sends a request that does not change the state of this resource, with an ad hoc mutation. The
  /// function of the mutation may belong to the host.
  package func request(_ method: RequestMethod, body: RequestBody?, adHoc mutation: AdHocMutation?)
    -> Request
  {
    do throws(RequestBodyFailure) {
      return prepared(method, adHoc: try adHoc(body, mutation)).start()
    } catch {
      return failedBeforeSending(error.cause, method: method)
    }
  }

  /// Combines a body and a mutation into one ad hoc mutation. The combined mutation first sets the
  /// body and then runs the given mutation.
  func adHoc(_ body: RequestBody?, _ mutation: AdHocMutation?) throws(RequestBodyFailure)
    -> AdHocMutation?
  {
    guard let body else { return mutation }
    let encoded = try body.encoded()
    return AdHocMutation(by: mutation?.maker, replacesBody: true) {
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

  /// Returns a request that failed while it was built. It is already completed and is never listed
  /// in `allRequests`. (REQ-09, REQ-25)
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

  /// Whether a request is conditional, and from which entity its condition comes.
  enum Revalidation {
    case none
    /// The request has the given condition, which comes from the present data. A repetition of the
    /// request uses the validators that the data has when the request is repeated. (LOAD-04)
    case sending(ResourceState.Condition?)
    /// The request waits for the caches on disk before it is sent. If the caches have an entry, the
    /// request gets the condition of that entry. (CACHE-39)
    case awaiting
  }

  /// Builds a request without decorating, tracking or starting it.
  ///
  /// - Parameter configuration: The configuration for the method; nil if this function looks up the
  ///   configuration.
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
    let asksQuery = asksQuery(method, adHoc)
    let configuration =
      configuration ?? self.resolvedConfiguration(for: asksQuery ? .query : method)
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
        method, configuration, condition: condition, isAwaiting: isAwaiting, adHoc: adHoc,
        query: asksQuery ? record.query : nil)
      if http.options?.connection.unixSocket != nil, let problem = socketProblem(of: http) {
        return failedBeforeSending(.transport(problem), method: method)
      }
    } catch {
      return failedBeforeSending(error, method: method)
    }
    let policies =
      http.method == method
      ? configuration.policies : self.resolvedConfiguration(for: http.configuredMethod).policies
    let request = NetworkRequest(
      resource: self, initialMethod: method, revalidates: revalidates, adHoc: adHoc, http: http,
      policies: policies, manner: manner)
    if let maker = adHoc?.maker { pump.host?.requestMade(request, by: maker) }
    return request
  }

  /// Whether this resource is a query, and a request with this method and mutation sends the
  /// query's content.
  private func asksQuery(_ method: RequestMethod, _ adHoc: AdHocMutation?) -> Bool {
    guard let query = record.query else { return false }
    return method == query.method && adHoc?.replacesBody != true
  }

  /// Returns an error if the request must not be sent through the configured Unix socket, because
  /// the origin of the request is not the origin of the service. Returns nil if the request may be
  /// sent.
  private func socketProblem(of http: HTTPRequest) -> TransportError? {
    guard let home = service.baseURL?.origin, http.origin != home else { return nil }
    return .final(
      .connection,
      "\(http.origin) is not requested through the unix_socket of \(home): to request it directly, "
        + "set unix_socket = false for it")
  }

  /// Builds the HTTP request: sets headers and condition, applies mutations, and attaches secrets.
  private func makeHTTP(
    _ method: RequestMethod, _ configuration: ResolvedConfiguration,
    condition: ResourceState.Condition?, isAwaiting: Bool, adHoc: AdHocMutation?,
    query: ResourceQuery?
  ) throws(RequestError) -> HTTPRequest {
    var headers = configuration.settings.headers
    if let condition { headers.set(condition.name, bytes: condition.value.bytes) }
    if isAwaiting { headers.awaitCondition() }
    // Most requests need no edit. They are returned early, because copying the large value takes
    // time.
    guard
      adHoc != nil || query != nil || record.secretURL != nil || headers.hasSecrets
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
    if let query {
      query.put(into: &http)
      http.sendsQuery = true
    }
    if let adHoc {
      let (payload, secretBody) = (query.map { _ in http.payload }, http.secrets?.body)
      try adHoc.edit(&http)
      // A request with another body is not the request of the query. Only the query is declared
      // safe.
      if let payload, http.payload != payload || http.secrets?.body != secretBody {
        http.sendsQuery = false
      }
    }
    for mutation in configuration.settings.mutations { try mutation(&http) }
    if configuration.settings.graphQL { http.headers.acceptGraphQL() }
    // A stream or a download has no body in which a refusal could be found.
    if let persisted = configuration.settings.persistedQueries, configuration.settings.graphQL,
      !service.refusesPersistedQueries, http.secrets?.body == nil, http.body != nil,
      http.options?.sink == nil, http.options?.download == nil
    {
      http.persistedQueries = persisted
    }
    try check(http)
    let auth = configuration.settings.auth
    if auth != nil || http.secrets != nil || http.headers.hasSecrets {
      try seal(&http, auth: auth)
    }
    return http
  }

  /// Checks the headers, limits and options of a request after mutations have run. A mutation may
  /// set invalid values that a configuration could not contain.
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

  /// Logs a warning if the dot segments of the URL lead above the base URL. (SVC-39)
  private func noteClimbing(_ method: RequestMethod) {
    guard pump.log.isOn(.network), let base = service.baseURL,
      url.climbs(above: base)
    else { return }
    pump.log(
      .network,
      "warning: \(method) \(LogText.url(url.text)) leads above the base URL "
        + "\(LogText.url(base.text)): its dot segments are sent unchanged")
  }

  /// Builds, decorates and tracks a request. The caller starts the returned request.
  func prepared(
    _ method: RequestMethod, _ configuration: ResolvedConfiguration? = nil,
    revalidation: Revalidation = .none, adHoc: AdHocMutation? = nil, manner: FetchManner = .alone
  ) -> Request {
    pump.checkThread()
    let configured = asksQuery(method, adHoc) ? .query : method
    let configuration = configuration ?? self.resolvedConfiguration(for: configured)
    var request = makeRequest(
      method, configuration, revalidation: revalidation, adHoc: adHoc, manner: manner)
    guard !(request is FixedRequest) else { return request }
    // Uses the decorators of the final method, because a mutation may have changed the method
    // (CFG-17, DEC-13).
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

  /// Lists the request in `allRequests` until it ends. A cancelled request is removed from the list
  /// at once. Any other request is removed when its hooks run, before the hooks of the caller.
  /// (STA-03, STA-12 to STA-14)
  func track(_ request: Request) {
    guard !request.isCompleted else { return }
    // The request may be listed already, because a decorator may return the same request several
    // times.
    guard !request.isTracked || !record.allRequests.contains(where: { $0 === request }) else {
      return
    }
    record.allRequests.append(request)
    request.track(by: record)
  }
}

/// Requests with a body, one method for each type of body. Each method sends the request as
/// `request(_:body:requestMutation:)` does, and does not change the state of the resource.
extension Resource {
  /// Sends a request whose body is the given bytes, unchanged, with the given content type.
  /// (REQ-06) Lua: `resource:request(method, { data = s, content_type = t })`.
  @discardableResult
  public func request(
    _ method: RequestMethod, data: [UInt8], contentType: String,
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(method, body: .data(data, contentType: contentType), requestMutation: requestMutation)
  }

  /// Sends a request whose body is text in the given encoding. The encoding can be any name that
  /// iconv supports, and is added to the content type as its charset. If the encoding can't
  /// represent the text, the request is returned as failed with the cause `unencodableText`.
  /// (REQ-07 to REQ-09) Lua: `{ text = s, encoding = e }`.
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

  /// Sends a request whose body is a JSON value, written as compact JSON. If the value contains a
  /// number that JSON can't represent, the request is returned as failed with the cause
  /// `invalidJSONObject`. (REQ-10 to REQ-14) Lua: `{ json = v }`.
  ///
  ///     notes.request("POST", json: ["title": "Tea", "tags": ["shop", 1], "due": .null])
  @discardableResult
  public func request(
    _ method: RequestMethod, json: JSONValue, contentType: String = "application/json",
    requestMutation: RequestMutation? = nil
  ) -> Request {
    send(method, contentType, requestMutation) { () throws(JSONError) in json }
  }

  /// Sends a request whose body is a dictionary of plain Swift values, written as a JSON object. If
  /// a value can't be represented in JSON, the request is returned as failed with the cause
  /// `invalidJSONObject`. (REQ-10 to REQ-14)
  // Disfavoured, so that literals become a `JSONValue` if possible: nested literals of a
  // `JSONValue` may mix types.
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

  /// Sends a request whose body is an array of plain Swift values, written as a JSON array. If a
  /// value can't be represented in JSON, the request is returned as failed with the cause
  /// `invalidJSONObject`.
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

  /// Sends a request whose body is an `Encodable` value, written as compact JSON by
  /// `RequestBody.json(encoding:)`. If the value can't be encoded, the request is returned as
  /// failed. The cause is `invalidJSONObject` with the coding path, or `custom` with the error
  /// thrown by `encode(to:)`.
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

  /// Sends a request whose body is a URL-encoded form. The pairs of the form are escaped and
  /// sorted. (REQ-15 to REQ-20) Lua: `{ form = { name = value } }`.
  @discardableResult
  public func request(
    _ method: RequestMethod, urlEncoded params: [String: String],
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(
      method, body: .form(params.map { (name: $0.key, value: $0.value) }),
      requestMutation: requestMutation)
  }

  /// Sends a request whose body is a file, with the content type of the `UploadFile`. The file is
  /// read from disk while the request is sent. If the file can't be read, the request is returned
  /// as failed with the cause `fileUnavailable`. If the file changes before it has been sent
  /// completely, the request fails with `fileChanged`. The upload has no overall timeout, only a
  /// timeout for inactivity. (BODY-01 to BODY-08) Lua: `resource:put(lull.file(path))`.
  @discardableResult
  public func request(
    _ method: RequestMethod, file: UploadFile,
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(method, body: .file(file), requestMutation: requestMutation)
  }

  /// Sends a request whose body is a form, written as `multipart/form-data`. Values may be files,
  /// with the same rules and timeouts as for `request(_:file:requestMutation:)`. (BODY-10 to
  /// BODY-13) Lua: `resource:post(lull.multipart{ … })`.
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

/// Downloads to files.
extension Resource {
  /// Sends a GET request and writes the response body to a file as it arrives. The state of the
  /// resource does not change. (DWN-01 to DWN-18) Lua:
  /// `resource:download(path, { resume = true })`.
  ///
  /// Order of events: at the first attempt the destination is checked. If the download can be
  /// resumed, the destination is also locked. If the status of the response is a success, the body
  /// is written to a partial file as it arrives. When the body is complete, the partial file gets
  /// its final name and replaces an existing file. The content of the entity is then the path. The
  /// entity is not processed by transformers or caches.
  ///
  /// Errors are reported as for any other request, and an existing file is kept. The request fails
  /// with `fileUnavailable` if the file can't be written, or if another download to the same
  /// partial file is in progress. The download has no overall timeout, only a timeout for
  /// inactivity. Home thread only.
  ///
  /// - Parameters:
  ///   - path: A file or a folder. In a folder, the file is named by the `Content-Disposition`
  ///     header or, without this header, by the last component of the URL. The new file never
  ///     replaces an existing file in the folder.
  ///   - resume: Whether the partial file is kept as `NAME.part` if the request or the process ends
  ///     early. The next download to that path resumes the partial file, unless the file on the
  ///     server has changed.
  ///   - requestMutation: A function that edits the request. It runs again for each repetition of
  ///     the request.
  @discardableResult
  public func download(
    to path: String, resume: Bool = false, requestMutation: RequestMutation? = nil
  ) -> Request {
    download(to: ByteString(path), resume: resume, adHoc: requestMutation.map { AdHocMutation($0) })
  }

  /// Sends a GET request and writes the response body to a file. The path need not be UTF-8, and
  /// the function of the mutation may belong to the host.
  package func download(to path: ByteString, resume: Bool, adHoc mutation: AdHocMutation?)
    -> Request
  {
    let edit = AdHocMutation(by: mutation?.maker) {
      (http: inout HTTPRequest) throws(RequestError) in
      // The file must get the bytes as they are stored on the server, not a compressed form.
      http.headers["accept-encoding"] = "identity"
      http.receive(into: Download(to: .file(path, allowsFolder: true), resumes: resume))
      try mutation?.edit(&http)
    }
    return prepared(readMethod, adHoc: edit).start()
  }
}

/// Requests with a fixed outcome, and requests with custom logic. Decorators can return these
/// requests, and code can use them wherever it needs a `Request`. They do not belong to a resource,
/// but to the pump of the calling thread. Create them inside `Lull.run`, or on a thread with a
/// `Pump`, as in a test. On any other thread, creating one is a programming error and ends the
/// program.
extension Resource {
  /// Returns a request that has failed with `error`, without network or pipeline. Its hooks run on
  /// a later turn, its `progress` is 1, and cancelling it does nothing. (HW-01, HW-03 to HW-07)
  /// Lua: `lull.failed_request(error)`.
  public static func failedRequest(returning error: RequestError) -> Request {
    hardWiredRequest(returning: .failure(error))
  }

  /// Returns a request that has completed with `response`, without network or pipeline. Its hooks
  /// run on a later turn, its `progress` is 1, and cancelling it does nothing. (HW-02) Lua:
  /// `lull.hard_wired_request(response)`.
  public static func hardWiredRequest(returning response: Response) -> Request {
    FixedRequest(response, pump: Pump.ofThread(for: "Resource.hardWiredRequest(returning:)"))
  }

  /// Returns a request whose work is done by `delegate`. The request is not started (DEL-01). Lua:
  /// `lull.custom_request{…}`.
  public static func prepareRequest(using delegate: any RequestDelegate) -> Request {
    CustomRequest(
      delegate: delegate, pump: Pump.ofThread(for: "Resource.prepareRequest(using:)"))
  }
}

/// A function that edits one request, after the configured headers were set and before configured
/// mutations run. It runs again when the request is repeated (MUT-01, MUT-05, MUT-07).
package struct AdHocMutation {
  let edit: Resource.RequestMutation
  /// The host's object with the function that `edit` calls; nil without a host. The host is
  /// notified of each request that is created with this mutation.
  let maker: AnyObject?
  /// Whether the mutation sets a body. If this resource is a query, the request then does not send
  /// the query.
  let replacesBody: Bool

  package init(
    by maker: AnyObject? = nil, replacesBody: Bool = false,
    _ edit: @escaping Resource.RequestMutation
  ) {
    self.maker = maker
    self.replacesBody = replacesBody
    self.edit = edit
  }
}

extension Request {
  /// The URL for use in errors. It does not contain the credentials that the configuration adds to
  /// the URL's query. (QRY-03)
  var urlWithoutCredentials: String? {
    switch self {
    case let request as NetworkRequest: request.http.withoutCredentials(request.http.url)
    case let request as ChainedRequest: request.wrapped.urlWithoutCredentials
    default: url
    }
  }
}
