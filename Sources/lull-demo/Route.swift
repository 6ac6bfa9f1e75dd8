import FlyingFox

/// What is served where, together with the line that describes it to people.
///
/// The list of routes printed at the start and served at `/` is made from the very values that
/// match requests, so neither can forget a route.
struct Route: Sendable {
  typealias Handler = @Sendable (Call) async throws -> HTTPResponse

  /// Empty for any method.
  let methods: [String]
  /// Segments in braces match anything; what follows a `?` is only for readers.
  let pattern: String
  let summary: String
  let handler: Handler
  private let segments: [Substring]

  init(
    _ methods: String, _ pattern: String, _ summary: String, handler: @escaping Handler
  ) {
    self.methods = methods == "ANY" ? [] : methods.split(separator: " ").map(String.init)
    self.pattern = pattern
    self.summary = summary
    self.handler = handler
    segments = pattern.prefix { $0 != "?" }.split(separator: "/")
  }

  /// For people: `GET`, `ANY`.
  var methodText: String { methods.isEmpty ? "ANY" : methods.joined(separator: " ") }

  /// HEAD is served wherever GET is.
  func accepts(_ method: String) -> Bool {
    methods.isEmpty || methods.contains(method) || (method == "HEAD" && methods.contains("GET"))
  }

  /// The named parts of the path, nil when it is not ours.
  func match(_ path: [Substring]) -> [String: String]? {
    guard path.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (segment, part) in zip(segments, path) {
      if segment.hasPrefix("{") {
        parameters[String(segment.dropFirst().dropLast())] = String(part)
      } else if segment != part {
        return nil
      }
    }
    return parameters
  }
}
