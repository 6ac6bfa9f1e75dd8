import LullHost

/// A string of Lua source, or a name, where it stands.
struct LiteralText {
  enum Form {
    /// As it is.
    case plain
    case escaped
    /// Between long brackets.
    case long
  }

  /// What stands between the quotes or brackets.
  let range: Range<Int>
  let form: Form

  /// What it says; nil if that is no text, or not known without compiling it.
  func text(in source: [UInt8]) -> String? {
    switch form {
    case .plain:
      // Which is quick where it is one.
      source[range].withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
    case .escaped:
      StringEscapes.bytes(of: source[range]).flatMap { String(validating: $0, as: UTF8.self) }
    case .long:
      // Of line breaks in it the interpreter makes its own.
      source[range].contains(13)
        ? nil
        : String(
          validating: source[range].first == 10 ? source[range].dropFirst() : source[range],
          as: UTF8.self)
    }
  }
}
