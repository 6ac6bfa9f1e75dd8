import CPCRE2

/// A regular expression in a schema, in the syntax of ECMA-262 with the flag `u`. A text matches if
/// any substring matches.
final class SchemaPattern: Sendable {
  let text: String
  // The pattern is set once, only read by searches, and freed with this object, so sharing it is
  // safe.
  private nonisolated(unsafe) let pattern: OpaquePointer

  /// The reason why a pattern can't be used.
  struct Unusable: Error {
    let message: String
  }

  init(_ text: String) throws(Unusable) {
    self.text = text
    var translated = PatternSpelling.translated(text)
    var problem = [CChar](repeating: 0, count: Int(CPCRE2_SIZE))
    let made = translated.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        cpcre2_create($0.baseAddress, $0.count, Int32(CPCRE2_ECMA), &problem)
      }
    }
    guard let made else {
      let end = problem.firstIndex(of: 0) ?? problem.endIndex
      throw Unusable(
        message: String(decoding: problem[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    pattern = made
  }

  deinit { cpcre2_free(pattern) }

  /// Returns whether the pattern matches any substring of a name. If the search takes too long,
  /// returns true.
  func isFound(in text: String) -> Bool {
    var text = text
    return text.withUTF8 { isFound(in: $0) } ?? true
  }

  /// Returns whether the pattern matches any substring of a text. If the search takes too long,
  /// returns nil.
  func isFound(in text: UnsafeBufferPointer<UInt8>) -> Bool? {
    text.withMemoryRebound(to: CChar.self) { text in
      var steps: Int64 = 0
      return switch cpcre2_finds(pattern, text.baseAddress, text.count, &steps) {
      case 0: false
      case 1: true
      default: nil
      }
    }
  }
}
