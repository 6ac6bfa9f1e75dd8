import LullHost
import Testing

@testable import LullClients

/// What came, went and changed between two contents.
@Suite("Differences of content", .timeLimit(.minutes(20)))
struct ContentDifferenceTests {
  private func json(_ text: String) -> ComparedContent { json(text, isExact: true) }

  private func json(_ text: String, isExact: Bool) -> ComparedContent {
    .json(JSONText(valid: Array(text.utf8)), isExact: isExact)
  }

  private func lines(_ old: ComparedContent, _ new: ComparedContent) -> [String] {
    ContentDifference(old, new).text { line, _ in line }
  }

  private func lines(_ old: String, _ new: String) -> [String] { lines(json(old), json(new)) }

  private func written(_ old: String, _ new: String) -> String {
    String(decoding: ContentDifference(json(old), json(new)).json, as: UTF8.self)
  }

  @Test(arguments: [
    (#"{"a":1,"b":[1,{"c":2,"d":3}]}"#, #"{ "b": [1, {"d":3, "c":2}], "a": 1 }"#),
    ("[1, 10, 0, -0, 0.5]", "[1.0, 1e1, 0e7, 0.0, 50e-2]"), (#""\u00fc\/""#, "\"ü/\""),
    (#"{"a":1,"a":2}"#, #"{"a":2}"#), ("[]", "[ ]"), ("null", "null"),
    ("1e999999999999999999", "1e999999999999999999"),
  ])
  func `DIFF-02 what says the same is the same`(old: String, new: String) {
    #expect(lines(old, new).isEmpty)
    #expect(ContentDifference(json(old), json(new)).isEmpty)
  }

  @Test(arguments: [
    ("12345678901234567890123", "12345678901234567890124"), ("0.1", "0.10000000000000001"),
    ("1", "-1"), ("1", #""1""#), ("null", "false"), ("[]", "{}"), ("[1,2]", "[2,1]"), ("10", "1"),
    (#"["a","b"]"#, #"["a\",\"b"]"#), (#"{"a":null}"#, "{}"), ("1e9", "1e10"),
    ("1e999999999999999999", "1e999999999999999998"),
  ])
  func `DIFF-02 what differs in a digit, a type or an order is another one`(
    old: String, new: String
  ) {
    #expect(!lines(old, new).isEmpty)
    #expect(!lines(new, old).isEmpty)
  }

  @Test func `DIFF-02 digits that were not kept are not missed`() {
    let (sent, kept) = ("[12345678901234567890123,1.0]", "[1.2345678901234568e+22,1]")
    #expect(!lines(json(sent), json(kept)).isEmpty)
    #expect(lines(json(sent), json(kept, isExact: false)).isEmpty)
    #expect(!lines(json("9007199254740993"), json("9007199254740992", isExact: false)).isEmpty)
  }

  @Test func `DIFF-03 records go by their fields, however deep`() {
    let (old, new) = (
      #"{"a":1,"b":{"c":2,"d":3},"gone":[1]}"#, #"{"b":{"c":2,"d":4,"e":"x"},"a":1,"new":null}"#
    )
    #expect(lines(old, new) == ["- gone: [1]", "~ b.d: 3 → 4", #"+ b.e: "x""#, "+ new: null"])
    #expect(
      written(old, new) == #"{"added":[{"field":"b.e","value":"x"},{"field":"new","value":null}],"#
        + #""removed":[{"field":"gone","value":[1]}],"changed":[{"field":"b.d","old":3,"new":4}]}"#)
    #expect(lines("1", "[2]") == ["~ 1 → [2]"])
    #expect(written("1", "2") == #"{"added":[],"removed":[],"changed":[{"old":1,"new":2}]}"#)
  }

  @Test func `DIFF-04 lists of records go by id, wherever they stand`() {
    let (old, new) = (
      #"[{"id":1,"n":"a","t":["x"],"p":1},{"id":2,"n":"b"}]"#,
      #"[{"id":3,"n":"c"},{"id":1.0,"n":"A","t":["x","y"],"q":2}]"#
    )
    #expect(
      lines(old, new) == [
        #"- {"id":2,"n":"b"}"#, #"+ {"id":3,"n":"c"}"#,
        #"~ id 1.0: - p 1, n "a" → "A", t ["x"] → ["x","y"], + q 2"#,
      ])
    #expect(
      written(old, new)
        == #"{"added":[{"id":3,"n":"c"}],"removed":[{"id":2,"n":"b"}],"changed":[{"id":1.0,"fields":"#
        + #"{"p":{"old":1},"n":{"old":"a","new":"A"},"t":{"old":["x"],"new":["x","y"]},"#
        + #""q":{"new":2}}}]}"#)
    let nested = (
      #"{"total":1,"items":[{"id":1,"v":1}]}"#, #"{"total":2,"items":[{"id":1,"v":2},{"id":2}]}"#
    )
    #expect(
      lines(nested.0, nested.1) == [
        "~ total: 1 → 2", "~ items id 1: v 1 → 2", #"+ items[]: {"id":2}"#,
      ])
  }

  @Test
  func `DIFF-04 elements without an id of their own go as a whole, as often as they stand there`() {
    #expect(lines("[1,1,2]", "[2,1,3]") == ["- 1", "+ 3", "~ the order"])
    #expect(lines("[]", "[1]") == ["+ 1"])
    #expect(lines("[1,1]", "[1]") == ["- 1"])
    #expect(
      lines(#"[{"id":1,"a":1},{"id":1,"a":2}]"#, #"[{"id":1,"a":1},{"id":1,"a":3}]"#)
        == [#"- {"id":1,"a":2}"#, #"+ {"id":1,"a":3}"#])
    #expect(lines(#"[{"id":{}}]"#, "[]") == [#"- {"id":{}}"#])
    #expect(lines(#"[{"id":1},{"id":2}]"#, #"[{"id":2},{"id":1}]"#) == ["~ the order"])
    #expect(
      written("[1,2]", "[2,1]") == #"{"added":[],"removed":[],"changed":[],"reordered":true}"#)
  }

  @Test func `DIFF-05 text goes by its lines, and bytes as a whole`() {
    #expect(
      lines(.text("a\nb\nc\n"), .text("a\nB\nc\nd")) == ["- b", "+ B", "+ d (no end of line)"])
    #expect(lines(.text("a\r\n"), .text("a\n")) == ["- a\r", "+ a"])
    #expect(lines(.text(""), .text("a\n")) == ["+ a"])
    #expect(lines(.text("a"), .text("a")).isEmpty)
    #expect(
      lines(.bytes(count: 3, digest: "ab"), .bytes(count: 4, digest: "cd")) == [
        #"~ "3 bytes, SHA-256 ab" → "4 bytes, SHA-256 cd""#
      ])
    #expect(lines(.bytes(count: 3, digest: "ab"), .bytes(count: 3, digest: "ab")).isEmpty)
    #expect(lines(.text("1"), json("1")) == [#"~ "1" → 1"#])
  }

  @Test func `DIFF-05 long texts take no longer than they are long`() {
    func text(_ count: Int, _ line: (Int) -> String) -> [UInt8] {
      Array((0..<count).map { line($0) + "\n" }.joined().utf8)
    }
    let old = text(20_000) { "line \($0)" }
    let new = text(20_000) { $0 % 1000 == 7 ? "other \($0)" : "line \($0)" }
    let lines = LineDifference(old, new).lines
    #expect(lines.count == 40)
    #expect(lines.first?.text.elementsEqual("line 7\n".utf8) == true)
    #expect(LineDifference(old, text(20_000) { "new \($0)" }).lines.count == 40_000)
    #expect(LineDifference(text(5000) { _ in "a" }, text(5001) { _ in "a" }).lines.count == 1)
    // What was moved as a block is gone here and there again.
    let moved = Array(text(2000) { "line \($0 + 1000)" } + text(1000) { "line \($0)" })
    let change = LineDifference(text(3000) { "line \($0)" }, moved).lines
    #expect(change.filter(\.isNew).count == 1000)
    #expect(change.filter { !$0.isNew }.count == 1000)
  }

  @Test func `DIFF-05 what the lines say makes the one of the other`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      func text() -> [UInt8] {
        let lines = (0..<Int.random(in: 0...12, using: &random)).map { _ in
          ["a", "b", "c", "d", "e"].randomElement(using: &random) ?? ""
        }
        return Array(lines.map { $0 + "\n" }.joined().utf8)
      }
      let (old, new) = (text(), text())
      let change = LineDifference(old, new).lines
      func count(_ text: [UInt8]) -> Int { text.filter { $0 == 10 }.count }
      #expect(
        count(old) - change.filter { !$0.isNew }.count == count(new) - change.filter(\.isNew).count)
      #expect((old == new) == change.isEmpty)
    }
  }
}
