import LullCore
import LullLibC

/// Reads JSON Lines from a descriptor. Each line contains one object.
struct TestLines {
  let descriptor: Int32
  private var rest: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Waits for the next object. Returns `nil` at the end of the input, or if a line is invalid.
  mutating func next<Value: Decodable & Sendable>(_ type: Value.Type) -> Value? {
    while true {
      if let line = takeLine() { return TestLines.value(type, of: line) }
      guard read() else { return nil }
    }
  }

  /// Reads the bytes that are available now. Returns `false` at the end of the input.
  mutating func read() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = LullLibC.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest += buffer[..<count]
      return true
    }
  }

  enum Taken<Value> {
    /// No complete line has been read yet.
    case nothing
    case value(Value)
    /// The line is invalid.
    case foreign
  }

  /// Parses the next line of the bytes that have already been read.
  mutating func taken<Value: Decodable & Sendable>(_ type: Value.Type) -> Taken<Value> {
    guard let line = takeLine() else { return .nothing }
    return TestLines.value(type, of: line).map { .value($0) } ?? .foreign
  }

  private mutating func takeLine() -> [UInt8]? {
    guard let end = rest.firstIndex(of: 10) else { return nil }
    defer { rest.removeFirst(end + 1) }
    return Array(rest[..<end])
  }

  private static func value<Value: Decodable & Sendable>(
    _ type: Value.Type, of line: [UInt8]
  ) -> Value? {
    try? JSONDocument(parsing: line).root.decoded(type)
  }

  static func bytes(of value: some Encodable) -> [UInt8] {
    ((try? JSONDocument.text(encoding: value)) ?? []) + [10]
  }
}

/// An exchange as reports show it. It contains no headers, bodies or credentials.
struct ShownExchange: Codable {
  var method: String
  /// The URL, with credentials masked as in logs.
  var url: String
  /// The time of the request in seconds since the test began, by the test's clock.
  var start: Double
  /// The duration in seconds. `nil` while the exchange is in progress.
  var seconds: Double?
  var status: Int?
  var error: String?

  init(_ exchange: StubExchange) {
    method = ShownExchange.cut(exchange.request.method.rawValue, 40)
    url = ShownExchange.cut(LogText.url(exchange.request.url), ShownExchange.longest)
    start = exchange.uptime
    seconds = exchange.end.map { max(0, $0 - exchange.start) }
    status = exchange.status
    error = exchange.error.map { ShownExchange.cut($0, ShownExchange.longest) }
  }

  var wasCancelled: Bool { error == StubExchange.cancelled }

  /// The maximum number of exchanges that are shown for a test.
  static let most = 200

  /// The maximum length of a text in characters.
  private static let longest = 500

  private static func cut(_ text: String, _ length: Int) -> String {
    text.utf8.count > length ? LogText.part(text, limit: length) : text
  }
}
