package import LullCore
import LullHost

/// A request about to be sent to a service: a call with its values, or a path.
package struct CallRequest {
  package var resource: Resource
  package var method: RequestMethod
  package var body: RequestBody?
  /// The headers declared by the call. They override the headers of the configuration.
  var declared = RequestHeaders()
  /// Cookies that are sent in addition to the cookies of the configuration.
  var cookies: [(name: String, value: SecretText)] = []
  /// Headers that override all others. If a name is repeated, all its values are sent. nil removes
  /// the header, including its default.
  package var headers: [(name: String, value: String?)] = []
  /// Headers that are set only if neither the configuration nor another property of this request
  /// sets them.
  package var usual: [(name: String, value: String)] = []
  /// The maximum duration in seconds of a streamed or saved exchange. nil for no maximum: only the
  /// time without data is then limited.
  package var timeout: Double?
  /// The file that a successful body is written to. nil: the body is returned as content.
  package var download: Download?

  /// Whether the request only reads, but has a body. Its body then becomes the content of a query.
  package var isQuery = false

  package init(resource: Resource, method: RequestMethod) {
    self.resource = resource
    self.method = method
  }

  /// Whether the request is a load, whose response the resource stores: a GET without a body, or
  /// the content of a query. Any other request does not change the resource's state.
  package var isLoad: Bool { method == resource.readMethod && body == nil }

  /// Whether the request changes nothing on the server, either by its method or because it is
  /// declared as safe.
  package var isSafe: Bool { method.isSafe || isLoad }

  /// The bytes of the body or of the query, with secrets masked; nil without a body, and for a body
  /// that is read while it is sent.
  package var bodyBytes: [UInt8]? {
    if let query = resource.query { return query.body }
    switch try? body?.encoded() {
    case .bytes(let bytes, _): return bytes
    case .secret(let secret): return secret.template.masked
    default: return nil
    }
  }

  /// Turns a request that only reads, but has a body, into the load of a query resource (QUERY-30).
  /// If the body is read while it is sent, the request stays an ordinary request.
  ///
  /// - Parameter method: QUERY or POST; nil: the configured method.
  package mutating func becomeQuery(method: RequestMethod? = nil) throws(RequestError) {
    guard isQuery, let body, !body.isStreamed else { return }
    resource = try resource.query(body.typed(ownContentType), method: method)
    self.method = resource.readMethod
    self.body = nil
  }

  /// Completes the query of a call. A file is read now, because its content identifies the query.
  /// Throws if the file can't be read, or if the query has no content.
  package mutating func completeQuery(of call: APICall) throws(APICall.Misfit) {
    guard isQuery, resource.query == nil else { return }
    switch body {
    case .file(let file)?:
      switch TextFile.read(file.path.bytes) {
      case .success(let bytes): body = .data(bytes, contentType: file.contentType)
      case .failure(let problem):
        throw APICall.Misfit(
          message: "call '\(call.name)': cannot read \(String(escaping: problem.message))")
      }
      do throws(RequestError) {
        try becomeQuery(method: call.method == .query ? nil : call.method)
      } catch {
        throw APICall.Misfit(message: "call '\(call.name)': \(error.userMessage)")
      }
    case nil:
      let name = call.wholeParameter?.name
      throw APICall.Misfit(
        message: "call '\(call.name)' reads with a body, and has none: pass "
          + (name.map { "the parameter '\($0)'" } ?? "one on standard input"))
    default: break
    }
  }

  /// Whether the request has headers in addition to the headers of the configuration.
  package var hasOwnHeaders: Bool {
    !headers.isEmpty || !declared.isEmpty || !declared.omitted.isEmpty || !usual.isEmpty
      || !cookies.isEmpty
  }

  /// Removes all cookies and headers that may identify the caller, because the request now goes to
  /// another origin.
  mutating func leaveOrigin() {
    headers.removeAll { !Headers.goesAnywhere($0.name.lowercased()) }
    cookies = []
    for (name, _) in declared.pairs where !Headers.goesAnywhere(name) { declared.remove(name) }
  }

  /// The content type that the request's own headers set.
  private var ownContentType: String? {
    headers.last { $0.name.lowercased() == "content-type" }?.value ?? declared["content-type"]
  }

  /// Whether one of the request's own headers makes it conditional.
  package var hasOwnCondition: Bool {
    ["if-none-match", "if-modified-since"].contains { name in
      declared[name] != nil || headers.contains { $0.value != nil && $0.name.lowercased() == name }
    }
  }

  private var mutation: Resource.RequestMutation? {
    guard hasOwnHeaders || download != nil || timeout != nil else { return nil }
    return { [headers, usual, declared, cookies, download, timeout] (http: inout HTTPRequest) in
      if let download { http.receive(into: download) }
      if let timeout { http.limits.timeout = timeout }
      for (name, _) in declared.pairs { http.headers.take(name, from: declared) }
      for name in declared.omitted { http.headers.omit(name) }
      if !cookies.isEmpty { http.headers.add(cookies: cookies) }
      for (name, value) in usual
      where http.headers[name] == nil && !http.headers.omitted.contains(name.lowercased()) {
        http.headers[name] = value
      }
      let boundary = CallRequest.boundary(of: http)
      var names: Set<String> = []
      for (name, value) in headers {
        let isFirst = names.insert(name.lowercased()).inserted
        guard let value else {
          http.headers.omit(name)
          continue
        }
        if isFirst { http.headers.remove(name) }
        let lacksBoundary =
          name.lowercased() == "content-type" && !value.lowercased().contains("boundary=")
        http.headers.add(name, lacksBoundary ? value + (boundary ?? "") : value)
      }
    }
  }

  /// Returns the boundary of a multipart form, which is needed even if the content type is
  /// overridden. nil for other bodies.
  private static func boundary(of http: HTTPRequest) -> String? {
    guard case .streamed(let body)? = http.payload, case .form = body.source,
      let type = http.headers["content-type"], let start = type.firstIndex(of: ";")
    else { return nil }
    return String(type[start...])
  }

  /// Starts the request. With `ifNeeded`, a load of data that is up to date is not started, and the
  /// result is nil.
  package func start(ifNeeded: Bool = false) -> Request? {
    guard isLoad else {
      return resource.request(method, body: body, requestMutation: mutation)
    }
    if let mutation { return resource.load(requestMutation: mutation) }
    return ifNeeded ? resource.loadIfNeeded() : resource.load()
  }

  /// Returns the stream for the request. Nothing is sent yet.
  ///
  /// - Parameter timeout: The maximum duration of the stream in seconds. nil for no limit.
  package func stream(timeout: Double?) -> EventStream {
    var options = StreamOptions()
    options.timeout = timeout
    var request = self
    // A call whose response may be a stream prefers JSON in its Accept header, but here a stream is
    // needed.
    if let accepted = declared["accept"], StreamTypes.areIn(accept: accepted) {
      request.declared.remove("accept")
    }
    options.edit = request.mutation.map { AdHocMutation($0) }
    return resource.events(options)
  }

  /// Returns the request as it would be sent, before decorators. Nothing is sent.
  package func built() -> Result<HTTPRequest, RequestError> {
    resource.built(method, body: body, requestMutation: mutation)
  }
}

/// The content types of streamed responses.
package enum StreamTypes {
  private static let all =
    [ContentTypePattern("text/event-stream")] + ContentTypePattern.lineTypes
    + ContentTypePattern.valueTypes

  /// Returns whether an `Accept` header contains the type of a streamed response.
  package static func areIn(accept header: String) -> Bool {
    header.split(separator: ",").contains { range in
      let type = String(range.drop { $0 == " " })
      return all.contains { $0.matches(type) }
    }
  }
}
