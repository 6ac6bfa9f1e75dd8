import CPCRE2

/// A regular expression of a schema, in the manner of ECMA-262 with the flag `u`; found anywhere in a text.
final class SchemaPattern: Sendable {
  let text: String
  // Made once, only read by every search, and freed with this.
  private nonisolated(unsafe) let pattern: OpaquePointer

  /// Why a pattern cannot be used, in words.
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

  /// The same of a name; what costs too much to tell counts as found.
  func isFound(in text: String) -> Bool {
    var text = text
    return text.withUTF8 { isFound(in: $0) } ?? true
  }

  /// nil if it costs too much to tell.
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
