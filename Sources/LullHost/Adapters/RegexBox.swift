import CLullBridge
import CPCRE2
import LullCore

/// A compiled regular expression, created by `lull.regex`. It has Perl syntax and is matched by
/// PCRE2. A search ends after a fixed number of steps.
final class RegexBox {
  let source: String
  let flags: String
  private let pattern: OpaquePointer

  /// The reason why an expression can't be used.
  struct Unusable: Error {
    let message: String
  }

  /// The result of a search.
  enum Found {
    case yes, no
    /// The search was stopped because it took too many steps.
    case unknown
  }

  /// Compiles an expression.
  ///
  /// - Parameter flags: `i` to ignore letter case, or empty.
  init(_ source: String, flags: String) throws(Unusable) {
    if let message = RegexBox.unsupported(source) { throw Unusable(message: message) }
    var text = RegexBox.translated(source)
    var problem = [CChar](repeating: 0, count: Int(CPCRE2_SIZE))
    let spelling = Int32(flags == "i" ? CPCRE2_PERL_ANY_CASE : CPCRE2_PERL)
    let made = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        cpcre2_create($0.baseAddress, $0.count, spelling, &problem)
      }
    }
    guard let made else {
      let end = problem.firstIndex(of: 0) ?? problem.endIndex
      throw Unusable(
        message: String(decoding: problem[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    self.source = source
    self.flags = flags
    pattern = made
  }

  deinit { cpcre2_free(pattern) }

  /// Returns whether the expression matches anywhere in a text, and how many steps the search took.
  func find(in text: String) -> (found: Found, steps: Int64) {
    var text = text
    var steps: Int64 = 0
    let found: Found = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        switch cpcre2_finds(pattern, text.baseAddress, text.count, &steps) {
        case 0: .no
        case 1: .yes
        default: .unknown
        }
      }
    }
    return (found, steps)
  }

  // MARK: Syntax that PCRE2 interprets differently

  /// Returns an expression with the character escapes `\u0041` and `\u{41}`, which Swift and other
  /// syntaxes have, translated to PCRE2's escapes.
  private static func translated(_ source: String) -> String {
    guard source.utf8.contains(UInt8(ascii: "\\")) else { return source }
    var result = ""
    var rest = source[...]
    while let character = rest.popFirst() {
      result.append(character)
      guard character == "\\", let escaped = rest.popFirst() else { continue }
      let digits = rest.prefix(4)
      if escaped == "u", rest.first == "{" {
        result += "x"
      } else if escaped == "u", digits.count == 4, digits.allSatisfy(\.isHexDigit) {
        result += "x{\(digits)}"
        rest = rest.dropFirst(4)
      } else {
        result.append(escaped)
      }
    }
    return result
  }

  /// Returns an error message if the expression uses an operator between character classes, as in
  /// `[a-z&&[^aeiou]]` in Swift's syntax. Returns nil if it uses no such operator. PCRE2 has no
  /// such operators: it would accept the expression, but match other texts than intended.
  private static func unsupported(_ source: String) -> String? {
    var isInClass = false
    var isEscaped = false
    var previous: Character = " "
    for character in source {
      defer { previous = isEscaped ? " " : character }
      if isEscaped {
        isEscaped = false
        continue
      }
      if character == "\\" {
        isEscaped = true
      } else if !isInClass {
        isInClass = character == "["
      } else if character == "]" {
        isInClass = false
      } else if character == previous, "&~".contains(character) {
        return "'\(character)\(character)' inside a class is not supported"
      }
    }
    return nil
  }
}
