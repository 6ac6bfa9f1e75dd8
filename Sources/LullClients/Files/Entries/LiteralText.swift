import LullLuaSource

/// A string of Lua source, or a name, where it stands.
struct LiteralText {
  enum Form: UInt8 {
    /// As it is.
    case plain
    case escaped
    /// Between long brackets.
    case long
  }

  private let start: UInt32
  private let end: UInt32
  let form: Form

  init(range: Range<Int>, form: Form) {
    start = UInt32(range.lowerBound)
    end = UInt32(range.upperBound)
    self.form = form
  }

  /// What stands between the quotes or brackets.
  var range: Range<Int> { Int(start)..<Int(end) }

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

  /// The bytes of that; nil if it is none.
  func withBytes<Value>(in source: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value?
  {
    if form == .plain { return source[range].withUnsafeBufferPointer(body) }
    guard var text = text(in: source) else { return nil }
    return text.withUTF8(body)
  }
}
