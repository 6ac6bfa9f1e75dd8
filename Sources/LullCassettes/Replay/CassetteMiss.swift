import LullClients
import LullCore
import LullHost

/// The reason why a recording has no response to a request.
package struct CassetteMiss: Error, Sendable, Equatable, CustomStringConvertible {
  /// The recorded request with the fewest differences from the request.
  package struct Nearest: Sendable, Equatable {
    /// The number of the exchange in the recording, starting at 1.
    package let number: Int
    package let request: HARRequest
    package let differences: [RequestDifference]
  }

  package enum Reason: Sendable, Equatable {
    /// The request was not recorded. The value is the recorded request with the fewest differences;
    /// nil if the recording is empty.
    case unrecorded(Nearest?)
    /// The request was recorded only before a write whose response has already been returned.
    case overwritten
    /// The request was recorded only after a write that the program has not sent yet.
    case unwritten
    /// The request was recorded, but the recording program has omitted the response body.
    case bodyless
    /// The recorded response body can't be read, for this reason.
    case unreadable(String)
    /// The request was recorded by a client that already had the data, so the only response is a
    /// 304.
    case notModified
  }

  package let request: HARRequest
  package let reason: Reason

  init(_ request: HARRequest, nearest: Nearest?) {
    self.request = request
    reason = .unrecorded(nearest)
  }

  init(_ request: HARRequest, isBehindWrite: Bool) {
    self.request = request
    reason = isBehindWrite ? .overwritten : .unwritten
  }

  /// Makes the error for a recorded exchange without a usable response body.
  ///
  /// - Parameter problem: The reason why the response body can't be read; nil if it was omitted.
  init(bodyless request: HARRequest, _ problem: String?) {
    self.request = request
    reason = problem.map { .unreadable($0) } ?? .bodyless
  }

  init(notModified request: HARRequest) {
    self.request = request
    reason = .notModified
  }

  /// The distance between the request and the nearest recorded request. 0 if the request was
  /// recorded. `Int.max` if the recording is empty.
  package var distance: Int {
    switch reason {
    case .unrecorded(nil): .max
    case .unrecorded(let nearest?): nearest.differences.reduce(0) { $0 + $1.weight }
    case .overwritten, .unwritten, .bodyless, .unreadable, .notModified: 0
    }
  }

  /// The request and the reason why there is no response. If there is a nearest recorded request,
  /// it is described on the following lines.
  package var description: String {
    let asked = "\(request.method) \(request.url)"
    switch reason {
    case .unrecorded(nil): return "\(asked) was not recorded: the recording is empty"
    case .unrecorded(let nearest?):
      let other = "\(nearest.request.method) \(nearest.request.url)"
      let lines = nearest.differences.map { "  " + $0.description }
      let head = "\(asked) was not recorded; nearest is exchange \(nearest.number), \(other):"
      return ([head] + lines).joined(separator: "\n")
    case .overwritten:
      return "\(asked) was recorded only before a write that has already happened in this run"
    case .unwritten:
      return "\(asked) was recorded only after a write that has not happened yet in this run"
    case .bodyless:
      return "\(asked) was recorded without its response body"
    case .unreadable(let problem):
      return "\(asked) was recorded with a response body that cannot be read: \(problem)"
    case .notModified:
      return
        "\(asked) was recorded as 304 Not Modified, by a program that had the data cached: "
        + "record it with an empty cache"
    }
  }
}

extension RequestDifference: CustomStringConvertible {
  package var description: String {
    switch self {
    case .method(let recorded, let asked): "method: \(recorded) → \(asked)"
    case .origin(let recorded, let asked): "server: \(recorded) → \(asked)"
    case .path(let recorded, let asked): "path: \(recorded) → \(asked)"
    case .parameter(let name, let recorded, let asked):
      "query '\(name)': \(recorded ?? "none") → \(asked ?? "none")"
    case .parameterOrder: "query: different order"
    case .header(let name, let recorded, let asked):
      "header '\(name)': \(recorded ?? "none") → \(asked ?? "none")"
    case .environment(let recorded, let asked):
      "environment: \(recorded ?? "none") → \(asked ?? "none")"
    case .body(let lines): "body: " + lines.joined(separator: "; ")
    }
  }
}

/// One difference between a request and a recorded one.
package enum RequestDifference: Sendable, Equatable {
  case method(recorded: String, asked: String)
  case origin(recorded: String, asked: String)
  case path(recorded: String, asked: String)
  /// A query parameter with the given name has different values. A value is nil if the parameter is
  /// missing.
  case parameter(String, recorded: String?, asked: String?)
  case parameterOrder
  case header(String, recorded: String?, asked: String?)
  /// The environments are different. nil means no environment.
  case environment(recorded: String?, asked: String?)
  /// The bodies are different. The differences are given as lines for display.
  case body([String])

  /// The weight of this kind of difference in the search for the nearest request.
  var weight: Int {
    switch self {
    case .origin: 16
    case .path: 8
    case .method: 4
    case .environment: 3
    case .parameter: 2
    case .body, .header, .parameterOrder: 1
    }
  }

  static func between(_ recorded: RecordedRequest, _ asked: RecordedRequest) -> [RequestDifference]
  {
    var differences: [RequestDifference] = []
    if recorded.method != asked.method {
      differences.append(.method(recorded: recorded.method, asked: asked.method))
    }
    if recorded.url.origin != asked.url.origin {
      differences.append(.origin(recorded: recorded.url.origin, asked: asked.url.origin))
    }
    if recorded.url.path != asked.url.path {
      differences.append(.path(recorded: recorded.url.path, asked: asked.url.path))
    }
    if !recorded.isOfEnvironment(of: asked) {
      differences.append(.environment(recorded: recorded.environment, asked: asked.environment))
    }
    differences += parameters(recorded.url, asked.url)
    for name in Set(recorded.headers.keys).union(asked.headers.keys).sorted()
    where recorded.headers[name] != asked.headers[name] {
      differences.append(
        .header(name, recorded: text(recorded.headers[name]), asked: text(asked.headers[name])))
    }
    if let problem = recorded.bodyProblem {
      differences.append(.body(["the recorded body cannot be read: \(problem)"]))
    } else if recorded.body != asked.body {
      differences.append(.body(lines(recorded.body, asked.body)))
    }
    return differences
  }

  private static func parameters(
    _ recorded: RecordedURL, _ asked: RecordedURL
  ) -> [RequestDifference] {
    guard !recorded.parameters.elementsEqual(asked.parameters, by: ==) else { return [] }
    func values(_ url: RecordedURL, _ name: String) -> String? {
      let values = url.parameters.filter { $0.name == name }.map(\.value)
      return values.isEmpty ? nil : values.joined(separator: ",")
    }
    var names: [String] = []
    for (name, _) in recorded.parameters + asked.parameters where !names.contains(name) {
      names.append(name)
    }
    let differences = names.compactMap { name -> RequestDifference? in
      let (old, new) = (values(recorded, name), values(asked, name))
      return old == new ? nil : .parameter(name, recorded: old, asked: new)
    }
    return differences.isEmpty ? [.parameterOrder] : differences
  }

  private static func text(_ values: [[UInt8]]?) -> String? {
    values.map { $0.map { String(escaping: $0) }.joined(separator: ", ") }
  }

  private static func lines(_ recorded: RecordedBody, _ asked: RecordedBody) -> [String] {
    switch (recorded, asked) {
    case (.json(let old), .json(let new)):
      let difference = ContentDifference(
        .json(old.text, isExact: true), .json(new.text, isExact: true))
      return difference.text { line, _ in line }
    case (.none, _): return ["recorded without a body"]
    case (_, .none): return ["recorded with a body, sent without one"]
    default: return [sizes(recorded, asked)]
    }
  }

  private static func sizes(_ recorded: RecordedBody, _ asked: RecordedBody) -> String {
    let (old, new) = (recorded.count, asked.count)
    return old == new
      ? "\(old) bytes, with different content" : "recorded with \(old) bytes, sent with \(new)"
  }
}
