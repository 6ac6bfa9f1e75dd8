import LullClients
import LullCore
import LullHost

/// One thing in which a request is another than a recorded one.
package enum RequestDifference: Sendable, Equatable {
  case method(recorded: String, asked: String)
  case origin(recorded: String, asked: String)
  case path(recorded: String, asked: String)
  /// A parameter of the query; nil where there is none of that name.
  case parameter(String, recorded: String?, asked: String?)
  case parameterOrder
  case header(String, recorded: String?, asked: String?)
  /// nil: none.
  case environment(recorded: String?, asked: String?)
  /// In lines for people.
  case body([String])

  /// How far it takes a request from a recorded one, beside others.
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
      differences.append(.body(["the recorded one cannot be read: \(problem)"]))
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
    case (.none, _): return ["none was recorded"]
    case (_, .none): return ["one was recorded, and there is none"]
    default: return [sizes(recorded, asked)]
    }
  }

  private static func sizes(_ recorded: RecordedBody, _ asked: RecordedBody) -> String {
    let (old, new) = (recorded.count, asked.count)
    return old == new ? "\(old) other bytes" : "\(old) bytes were recorded, it has \(new)"
  }
}
