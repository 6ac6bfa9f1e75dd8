/// Fields of CSV that a spreadsheet takes for a formula, in quotes or not. (OWASP, CSV Injection)
enum CSVFormula {
  /// Whether it begins with `=`, `+`, `-` or `@`, of full width too, with a tab or the end of a line, and is no plain
  /// number.
  static func mayBegin(_ field: some Collection<UInt8>) -> Bool {
    guard let first = field.first else { return false }
    switch first {
    case UInt8(ascii: "="), UInt8(ascii: "@"), 9, 10, 13: return true
    case UInt8(ascii: "+"), UInt8(ascii: "-"): return !isNumber(field.dropFirst())
    case 0xEF: return wide.contains { field.starts(with: $0) }
    default: return false
    }
  }

  /// Some spreadsheets read them as the others.
  private static let wide = ["＝", "＋", "－", "＠"].map { Array($0.utf8) }

  /// `5`, `0.5`, `.5`, `1e3`, `1E-3`: what is behind the sign of a number.
  private static func isNumber(_ text: some Collection<UInt8>) -> Bool {
    var rest = text[...]
    func digitCount() -> Int {
      let end = rest.firstIndex { !(0x30...0x39).contains($0) } ?? rest.endIndex
      defer { rest = rest[end...] }
      return rest.distance(from: rest.startIndex, to: end)
    }
    var count = digitCount()
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      count += digitCount()
    }
    guard count > 0 else { return false }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if let sign = rest.first, "+-".utf8.contains(sign) { rest = rest.dropFirst() }
      guard digitCount() > 0 else { return false }
    }
    return rest.isEmpty
  }
}
