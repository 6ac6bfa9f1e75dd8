package import LullCore
import LullHost

/// A request about to be made of a service: of a call with its values, or of a path.
package struct CallRequest {
  package var resource: Resource
  package var method: RequestMethod
  package var body: RequestBody?
  /// Those that the call declares, set over those of the configuration.
  var declared = RequestHeaders()
  /// Sent beside the cookies of the configuration.
  var cookies: [(name: String, value: SecretText)] = []
  /// Set over all of these, repeated ones beside each other; nil: taken away, as is what would be sent by
  /// itself.
  package var headers: [(name: String, value: String?)] = []
  /// Set where there is none of these.
  package var usual: [(name: String, value: String)] = []
  /// How long the exchange may take where it is as long as its body, which has no other bound than silence;
  /// nil: as long as it takes. Seconds.
  package var timeout: Double?
  /// The file that the body of a success becomes; nil: it is content.
  package var download: Download?

  package init(resource: Resource, method: RequestMethod) {
    self.resource = resource
    self.method = method
  }

  /// A GET without a body is a load, whose answer the resource remembers; anything else leaves the
  /// resource's state alone.
  package var isLoad: Bool { method == .get && body == nil }

  /// Whether it has headers beside those of the configuration.
  package var hasOwnHeaders: Bool {
    !headers.isEmpty || !declared.isEmpty || !declared.omitted.isEmpty || !usual.isEmpty
      || !cookies.isEmpty
  }

  /// Lets go of the headers that may say whose request it is: it goes to another origin now.
  mutating func leaveOrigin() {
    headers.removeAll { !Headers.goesAnywhere($0.name.lowercased()) }
    cookies = []
    for (name, _) in declared.pairs where !Headers.goesAnywhere(name) { declared.remove(name) }
  }

  /// Whether one of these makes it depend on what the server has.
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

  /// What the type of a multipart form has to say, whatever else it is said to be; nil of other bodies.
  private static func boundary(of http: HTTPRequest) -> String? {
    guard case .streamed(let body)? = http.payload, case .form = body.source,
      let type = http.headers["content-type"], let start = type.firstIndex(of: ";")
    else { return nil }
    return String(type[start...])
  }

  /// Starts it. With `ifNeeded`, a load of what is up to date is none: nil.
  package func start(ifNeeded: Bool = false) -> Request? {
    guard isLoad else {
      return resource.request(method, body: body, requestMutation: mutation)
    }
    if let mutation { return resource.load(requestMutation: mutation) }
    return ifNeeded ? resource.loadIfNeeded() : resource.load()
  }

  /// What it asks for item by item; nothing is sent yet.
  ///
  /// - Parameter timeout: how long the stream may take; nil: as long as it takes. Seconds.
  package func stream(timeout: Double?) -> EventStream {
    var options = StreamOptions()
    options.timeout = timeout
    var request = self
    // A call that may answer with a stream accepts it after JSON; a stream is wanted now.
    if let accepted = declared["accept"], StreamTypes.areIn(accept: accepted) {
      request.declared.remove("accept")
    }
    options.edit = request.mutation.map { AdHocMutation($0) }
    return resource.events(options)
  }

  /// As it would be sent, without what decorators make of it; nothing is sent.
  package func built() -> Result<HTTPRequest, RequestError> {
    resource.built(method, body: body, requestMutation: mutation)
  }
}

/// Types of answers that come item by item.
package enum StreamTypes {
  private static let all =
    [ContentTypePattern("text/event-stream")] + ContentTypePattern.lineTypes
    + ContentTypePattern.valueTypes

  /// Whether an `Accept` header names one.
  package static func areIn(accept header: String) -> Bool {
    header.split(separator: ",").contains { range in
      let type = String(range.drop { $0 == " " })
      return all.contains { $0.matches(type) }
    }
  }
}
