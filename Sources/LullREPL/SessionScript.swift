import LullHost
import LullLuaSource

/// Creates a script from the input of a session. The script runs the statements in the same order
/// and has the same results.
///
/// In a session, each top-level local is a single variable. A function that was typed before the
/// local can use the variable too. If the statements would behave differently in a script, the
/// script declares its locals at the beginning.
struct SessionScript {
  struct Statement {
    /// The statement as typed, or the contents of a file.
    let text: [UInt8]
    /// The expression in the statement, without `return` or `=`. `nil` for other statements, and
    /// for calls without results.
    let expression: [UInt8]?
    let input: TypedInput
  }

  private let statements: [Statement]
  private let parts: [StatementParts]
  private let usesOut: Bool

  init(_ statements: [Statement]) {
    self.statements = statements
    parts = statements.map { StatementParts($0.text) }
    usesOut = parts.contains { $0.names.contains("Out") }
  }

  /// Returns whether a statement refers to `Out`, which exists only in a session.
  static func refersToResults(_ text: [UInt8]) -> Bool {
    StatementParts(text).names.contains("Out")
  }

  // MARK: Forms

  /// The script with each local declared where it was typed.
  var plain: [UInt8] { header(declaring: []) + body(hoisting: false) }

  /// The script with all locals declared before the first statement.
  var hoisted: [UInt8] {
    var seen: Set<String> = []
    let names = parts.flatMap(\.declaredNames).filter { seen.insert($0).inserted }
    // A function can have 200 locals. If there are too many names, they become globals. (Lua 5.4,
    // lparser.c, MAXVARS)
    return header(declaring: names.count <= 150 ? names : []) + body(hoisting: true)
  }

  /// Whether the script would behave differently if each local were declared where it was typed.
  var needsHoisting: Bool {
    var captured: Set<String> = []
    for part in parts {
      if part.returnsFromBlock, !part.declaredNames.isEmpty { return true }
      if part.declaredNames.contains(where: captured.contains) { return true }
      if part.hasFunction { captured.formUnion(part.names) }
    }
    return false
  }

  // MARK: Parts

  private func header(declaring names: [String]) -> [UInt8] {
    var lines: [String] = []
    if isTaken(from: "lull") { lines.append("local lull = require \"lull\"") }
    if isTaken(from: "help") { lines.append("local help = require(\"lull\").help") }
    if usesOut { lines.append("local Out = {}") }
    if statements.contains(where: \.input.waitsBefore) {
      lines += [
        "local function \(waiting)()", "  local lull = require \"lull\"",
        "  lull.wait_until(function()", "    local now = lull.stats()",
        "    return now.requests_in_flight <= now.streams", "  end, { every = 0.01 })", "end",
      ]
    }
    if !names.isEmpty { lines.append("local " + names.joined(separator: ", ")) }
    return Array(lines.map { $0 + "\n" }.joined().utf8)
  }

  /// Whether the statements use the value that the variable `name` has at the beginning of a
  /// session, because they don't assign the variable first.
  private func isTaken(from name: String) -> Bool {
    guard let first = parts.first(where: { $0.names.contains(name) }) else { return false }
    return !first.begins(by: name)
  }

  private var waiting: String {
    var name = "wait_for_requests"
    while parts.contains(where: { $0.names.contains(name) }) { name += "_" }
    return name
  }

  private func body(hoisting: Bool) -> [UInt8] {
    var body: [UInt8] = []
    for (statement, part) in zip(statements, parts) {
      if statement.input.waitsBefore { body += Array("\(waiting)()\n".utf8) }
      if let file = statement.input.file {
        let shown = file.map { $0.isNewline ? "?" : String($0) }.joined()
        body += Array("-- \(shown)\n".utf8)
      }
      body += lines(of: statement, part, hoisting)
      body += Array(publishing(statement.input).map { $0 + "\n" }.joined().utf8)
    }
    return body
  }

  private func lines(
    of statement: Statement, _ part: StatementParts, _ hoisting: Bool
  ) -> [UInt8] {
    let hasValue = statement.input.hasValue
    if let expression = statement.expression {
      return Array("_ = ".utf8) + expression.drop { $0 == 32 || $0 == 9 } + [10]
    }
    let text = part.text(hoisting: hoisting, hasValue: hasValue)
    // Without the semicolon, a statement that begins with a parenthesis would be parsed as the
    // arguments of a call in the previous statement.
    let isCall = text.first { $0 != 32 && $0 != 9 } == UInt8(ascii: "(")
    return (isCall ? [UInt8(ascii: ";")] : []) + text + [10]
  }

  /// Returns the lines that follow a statement and set `_` and `Out`, as the session did.
  private func publishing(_ input: TypedInput) -> [String] {
    guard input.number > 0 else { return [] }
    let place = "Out[\(input.number)]"
    guard input.isAwaited else { return usesOut ? ["\(place) = _"] : [] }
    var lines = usesOut ? ["\(place) = { request = _ }"] : []
    if input.hasSucceeded {
      lines.append("_ = assert(_:await()).content")
      if usesOut { lines.append("\(place).data = _") }
    } else {
      let wait = "select(2, _:await())"
      lines += [usesOut ? "\(place).error = \(wait)" : "_ = \(wait)", "_ = nil"]
    }
    return lines
  }
}

/// A file with one test that is made from the input of a session: the statements, and expectations
/// for their results.
struct TestDraft {
  struct Statement {
    /// The text of the statement. An expression is written as an assignment to `_`.
    let text: [UInt8]
    let isValue: Bool
    let result: TypedResult
    /// The reason why the test has no expectation for the result. `nil` if it has an expectation.
    var left: String?
    /// The index of the result in `Out`; 0 if the result is not in `Out`.
    var number = 0
    /// Whether the result is a request that the session awaited.
    var isAwaited = false
    /// The number of seconds for which the test waits after the statement, so that requests in
    /// progress can complete.
    var pause = 0
  }

  private let name: String
  private let statements: [Statement]
  /// The value of `LULL_ENV` in the session. `nil` if it was not set.
  private let environment: String?
  /// The names that occur in the statements.
  private let names: Set<String>

  init(
    _ name: String, _ statements: [Statement], using names: Set<String>, environment: String?
  ) {
    self.name = name
    self.names = names
    self.statements = statements
    self.environment = environment
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
    if let environment, uses("lull.api") {
      bytes +=
        "  -- LULL_ENV was \(environment): set LULL_ENV here too, so that lull.api uses it.\n".utf8
    }
    if !uses("lull") { bytes = TestDraft.without("local lull = require \"lull\"\n", bytes) }
    if statements.contains(where: \.isValue) { bytes += "  local _\n".utf8 }
    if names.contains("Out") { bytes += "  local Out = {}\n".utf8 }
    for statement in statements { bytes += lines(of: statement) }
    return bytes + Array("end)\n".utf8)
  }

  private func lines(of statement: Statement) -> [UInt8] {
    var bytes: [UInt8] = []
    // Without the semicolon, a statement that begins with a parenthesis would be parsed as the
    // arguments of a call in the previous statement.
    let isCall = statement.text.first { $0 != 32 && $0 != 9 } == UInt8(ascii: "(")
    for line in ((isCall ? [UInt8(ascii: ";")] : []) + statement.text).split(
      separator: 10, omittingEmptySubsequences: false)
    {
      bytes += (line.isEmpty ? [] : Array("  ".utf8)) + line + [10]
    }
    let expectation: String? =
      switch statement.result {
      case _ where statement.left != nil: nil
      case .literal(let text): "to_equal(\(text))"
      case .table: "to_match_snapshot()"
      case .success: "to_succeed()"
      case .failure(let fields): "to_fail_with{ \(fields) }"
      case .nothing, .object, .mixed: nil
      }
    if let expectation { bytes += "  t.expect(_):\(expectation)\n".utf8 }
    if let left = statement.left { bytes += "  -- Not expected: \(left).\n".utf8 }
    bytes += publishing(statement).map { "  \($0)\n" }.joined().utf8
    if statement.pause > 0 {
      bytes +=
        "  t.clock:advance(\(statement.pause))  -- Requests in flight complete in this time, as in the session.\n"
        .utf8
    }
    return bytes
  }

  /// Returns the lines that follow a statement and set `_` and `Out`, as the session did. The
  /// result is empty if the statements use neither `_` nor `Out`.
  private func publishing(_ statement: Statement) -> [String] {
    let usesOut = names.contains("Out")
    guard statement.number > 0, usesOut || names.contains("_") else { return [] }
    let place = "Out[\(statement.number)]"
    guard statement.isAwaited else { return usesOut ? ["\(place) = _"] : [] }
    if case .failure = statement.result {
      return (usesOut ? ["\(place) = { request = _, error = _.response.error }"] : []) + ["_ = nil"]
    }
    let data = "_.response.entity.content"
    return (usesOut ? ["\(place) = { request = _, data = \(data) }"] : []) + ["_ = \(data)"]
  }

  /// Returns whether a statement contains a name outside of strings and comments. If it does, the
  /// value of the statement may depend on other values.
  static func names(in text: [UInt8]) -> Bool {
    var rest = text[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        while let next = rest.popFirst(), next != byte {
          if next == UInt8(ascii: "\\") { _ = rest.popFirst() }
        }
      case UInt8(ascii: "-") where rest.first == byte: rest = rest.drop { $0 != 10 }
      case 0x41...0x5A, 0x61...0x7A, 0x5F: return true
      default: break
      }
    }
    return false
  }

  private func uses(_ word: String) -> Bool {
    statements.contains { String(decoding: $0.text, as: UTF8.self).contains(word) }
  }

  private static func without(_ line: String, _ bytes: [UInt8]) -> [UInt8] {
    Array(String(decoding: bytes, as: UTF8.self).replacing(line, with: "").utf8)
  }

  /// Returns a text as a quoted Lua string.
  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
