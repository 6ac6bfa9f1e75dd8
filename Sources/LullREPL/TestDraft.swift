/// A file with one test, made of what was typed: each statement, and that it gives what it gave.
struct TestDraft {
  struct Statement {
    /// Of an expression, as an assignment to `_`.
    let text: [UInt8]
    let isValue: Bool
    let result: TypedResult
  }

  private let name: String
  private let statements: [Statement]

  init(_ name: String, _ statements: [Statement]) {
    self.name = name
    self.statements = statements
  }

  var bytes: [UInt8] {
    let shown = TestDraft.quoted(name)
    var bytes = Array(
      """
      local test = require "lull.test"
      local lull = require "lull"

      test(\(shown), function(t)
        t:cassette(\(shown))

      """.utf8)
    if !uses("lull") { bytes = TestDraft.without("local lull = require \"lull\"\n", bytes) }
    if statements.contains(where: \.isValue) { bytes += "  local _\n".utf8 }
    for statement in statements { bytes += lines(of: statement) }
    return bytes + Array("end)\n".utf8)
  }

  private func lines(of statement: Statement) -> [UInt8] {
    var bytes: [UInt8] = []
    // Else it would be an argument of the statement before it.
    let isCall = statement.text.first { $0 != 32 && $0 != 9 } == UInt8(ascii: "(")
    for line in ((isCall ? [UInt8(ascii: ";")] : []) + statement.text).split(
      separator: 10, omittingEmptySubsequences: false)
    {
      bytes += (line.isEmpty ? [] : Array("  ".utf8)) + line + [10]
    }
    let expectation: String? =
      switch statement.result {
      case .literal(let text): "to_equal(\(text))"
      case .table: "to_match_snapshot()"
      case .success: "to_succeed()"
      case .failure(let fields): "to_fail_with{ \(fields) }"
      case .nothing, .object: nil
      }
    if let expectation { bytes += "  t.expect(_):\(expectation)\n".utf8 }
    return bytes
  }

  private func uses(_ word: String) -> Bool {
    statements.contains { String(decoding: $0.text, as: UTF8.self).contains(word) }
  }

  private static func without(_ line: String, _ bytes: [UInt8]) -> [UInt8] {
    Array(String(decoding: bytes, as: UTF8.self).replacing(line, with: "").utf8)
  }

  /// As a string of Lua.
  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
