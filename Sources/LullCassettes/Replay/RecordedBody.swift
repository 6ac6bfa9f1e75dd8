import LullClients
import LullCore
import LullHost

/// A body in the form in which bodies are compared. JSON is compared by its value. A multipart form
/// is compared without its boundary, which changes each time. Any other body is compared by its
/// bytes.
enum RecordedBody: Sendable, Hashable {
  case none
  case json(RecordedJSON)
  case bytes([UInt8])

  init(_ bytes: [UInt8]?, type: String) {
    // Recordings of other programs do not distinguish an empty body from a missing one.
    guard let bytes, !bytes.isEmpty else {
      self = .none
      return
    }
    if RecordedBody.mayBeJSON(bytes, type), let document = try? JSONDocument(parsing: bytes) {
      self = .json(RecordedJSON(JSONText(document.root, spelledBy: bytes)))
    } else {
      self = .bytes(RecordedBody.withoutBoundary(bytes, type: type))
    }
  }

  /// Returns a multipart form with its boundary replaced by a fixed word. Other bodies are returned
  /// unchanged.
  static func withoutBoundary(_ bytes: [UInt8], type: String) -> [UInt8] {
    guard let boundary = boundary(type), !boundary.isEmpty else { return bytes }
    return replacing(Array(boundary.utf8), in: bytes)
  }

  /// The size of the original body in bytes.
  var count: Int {
    switch self {
    case .none: 0
    case .json(let json): json.text.range.count
    case .bytes(let bytes): bytes.count
    }
  }

  /// Whether a body may be JSON. The bytes are checked too, because clients often send JSON without
  /// declaring the content type.
  private static func mayBeJSON(_ bytes: [UInt8], _ type: String) -> Bool {
    if type.lowercased().contains("json") { return true }
    let first = bytes.first { ![9, 10, 13, 32].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  private static func boundary(_ type: String) -> String? {
    let parts = type.split(separator: ";").map { $0.drop { $0 == " " } }
    guard parts.first?.lowercased().hasPrefix("multipart/") == true else { return nil }
    let value = parts.first { $0.lowercased().hasPrefix("boundary=") }?.dropFirst("boundary=".count)
    return value.map { $0.filter { $0 != "\"" } }
  }

  private static func replacing(_ boundary: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    guard let first = boundary.first else { return bytes }
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      if bytes[place] == first, bytes[place...].starts(with: boundary) {
        result += "boundary".utf8
        place += boundary.count
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return result
  }
}

/// A JSON text that is compared by its value. Two texts are equal if their values are equal.
struct RecordedJSON: Sendable, Hashable {
  let text: JSONText
  private let canonical: [UInt8]

  init(_ text: JSONText) {
    self.text = text
    canonical = CanonicalJSON(isExact: true).bytes(of: text)
  }

  static func == (one: RecordedJSON, other: RecordedJSON) -> Bool {
    one.canonical == other.canonical
  }

  func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}
