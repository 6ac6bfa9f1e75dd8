package import LullCore
import LullHost

/// A request about to be sent to a service: a call with its values, or a path.
package struct CallRequest {
  package var resource: Resource
  package var method: RequestMethod
  package var body: RequestBody?
  /// The headers declared by the call. They override those of the configuration.
  var declared = RequestHeaders()
  /// Sent in addition to the cookies of the configuration.
  var cookies: [(name: String, value: SecretText)] = []
  /// They override all other headers, and repeated names are all sent. nil removes the header and
  /// suppresses its default.
  package var headers: [(name: String, value: String?)] = []
  /// Set only if none of the above sets the header.
  package var usual: [(name: String, value: String)] = []
  /// The maximum duration in seconds of an exchange that lasts as long as its body and otherwise
  /// has only a limit on silence; nil for no limit.
  package var timeout: Double?
  /// The file for the body of a success; nil to return it as content.
  package var download: Download?

  package init(resource: Resource, method: RequestMethod) {
    self.resource = resource
    self.method = method
  }

  /// Whether it is a load: a GET without a body, whose response the resource stores. Any other
  /// request does not change the resource's state.
  package var isLoad: Bool { method == .get && body == nil }

  /// Whether it has headers in addition to those of the configuration.
  package var hasOwnHeaders: Bool {
    !headers.isEmpty || !declared.isEmpty || !declared.omitted.isEmpty || !usual.isEmpty
      || !cookies.isEmpty
  }

  /// Removes the headers that may identify the caller, because the request now goes to another
  /// origin.
  mutating func leaveOrigin() {
    headers.removeAll { !Headers.goesAnywhere($0.name.lowercased()) }
    cookies = []
    for (name, _) in declared.pairs where !Headers.goesAnywhere(name) { declared.remove(name) }
  }

  /// Whether one of its headers makes the request conditional.
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

  /// Returns the boundary for the type of a multipart form, which is needed even if its type is
  /// overridden; nil for other bodies.
  private static func boundary(of http: HTTPRequest) -> String? {
    guard case .streamed(let body)? = http.payload, case .form = body.source,
      let type = http.headers["content-type"], let start = type.firstIndex(of: ";")
    else { return nil }
    return String(type[start...])
  }

  /// Starts the request. With `ifNeeded`, returns nil for a load of data that is up to date.
  package func start(ifNeeded: Bool = false) -> Request? {
    guard isLoad else {
      return resource.request(method, body: body, requestMutation: mutation)
    }
    if let mutation { return resource.load(requestMutation: mutation) }
    return ifNeeded ? resource.loadIfNeeded() : resource.load()
  }

  /// Returns the stream for the request; nothing is sent yet.
  ///
  /// - Parameter timeout: the maximum duration of the stream in seconds; nil for no limit.
  package func stream(timeout: Double?) -> EventStream {
    var options = StreamOptions()
    options.timeout = timeout
    var request = self
    // A call that may return a stream prefers JSON in its Accept header; here a stream is needed.
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

/// The types of streamed responses.
package enum StreamTypes {
  private static let all =
    [ContentTypePattern("text/event-stream")] + ContentTypePattern.lineTypes
    + ContentTypePattern.valueTypes

  /// Returns whether an `Accept` header contains one.
  package static func areIn(accept header: String) -> Bool {
    header.split(separator: ",").contains { range in
      let type = String(range.drop { $0 == " " })
      return all.contains { $0.matches(type) }
    }
  }
}
