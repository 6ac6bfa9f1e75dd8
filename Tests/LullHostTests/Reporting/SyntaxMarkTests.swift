import CLullBridge
import LullLuaSource
import Testing

@testable import LullHost

@Suite("Marks of what does not compile", .timeLimit(.minutes(20)))
struct SyntaxMarkTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let code: String
    /// Lines with what is marked on them.
    let marks: [String]
    var testDescription: String { code }
  }

  /// With the compiler's own messages.
  @Test(arguments: [
    Case(code: "x = = 1 = 2", marks: ["1:4-5"]),
    Case(code: "x = 1 = 2", marks: ["1:6-7"]),
    Case(code: "a, b = f(), end, end", marks: ["1:12-15"]),
    Case(code: "x = 'abc", marks: ["1:4-8"]),
    Case(code: "x = 3x", marks: ["1:4-6"]),
    Case(code: "for i = 1, 3 do", marks: ["1:15-15"]),
    Case(code: "if x then\n  f()\n", marks: ["1:0-2"]),
    Case(code: "while x do\nfor y in z do\nend\nx = 1", marks: ["1:0-5", "4:5-5"]),
    Case(code: "f(\n1 2)", marks: ["1:1-2", "2:2-3"]),
    Case(code: "goto out", marks: ["1:5-8"]),
    Case(code: "local a <const> = 1\n  a = a + 1", marks: ["2:2-3"]),
    Case(code: "x = }", marks: ["1:4-5"]),
    Case(code: "return return", marks: ["1:7-13"]),
  ])
  func `are where the compiler stops`(_ one: Case) throws {
    let harness = try HostHarness()
    let source = Array(one.code.utf8)
    let compile = { (text: [UInt8]) -> String? in
      var message = [CChar](repeating: 0, count: 500)
      let isWrong = text.withUnsafeBytes { bytes in
        lull_compile(
          harness.host.bridge.pointer, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count,
          "=t",
          &message, message.count)
      }
      return isWrong == 0
        ? nil
        : String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    let message = try #require(compile(source))
    let parts = message.split(separator: ":", maxSplits: 2).map(String.init)
    let marks = SyntaxMark.marks(
      for: String(parts[2].dropFirst()), line: try #require(Int(parts[1])), of: source,
      compile: compile)
    let found = marks.map { mark in
      let start = mark.line.range.lowerBound
      return mark.marked.map {
        "\(mark.line.number):\($0.lowerBound - start)-\($0.upperBound - start)"
      } ?? "\(mark.line.number)"
    }
    #expect(found == one.marks, "\(message)")
    harness.close()
  }
}
