import LullCore
import Testing

@testable import LullHost
import LullSystem

/// A numeric field of rows as bars, or a line of marks.
@Suite("Charts", .timeLimit(.minutes(20)))
struct ChartTests {
  private func draw(
    _ json: String, _ field: String, width: Int = 30, limit: Int? = nil, isTerminal: Bool = false
  ) throws -> [String] {
    try Chart(JSONText(valid: Array(json.utf8)), field: field)
      .text(width: width, limit: limit, isTerminal: isTerminal) { $0 }
      .split(separator: "\n").map(String.init)
  }

  private func problem(_ json: String, _ field: String) -> String {
    do throws(Chart.Problem) {
      _ = try Chart(JSONText(valid: Array(json.utf8)), field: field)
      return "none"
    } catch {
      return error.message
    }
  }

  @Test func `CHART-01 each row has a bar, as long as its number, and the server's digits`() throws
  {
    let rows =
      #"[{"id":1,"name":"Ada","n":8},{"id":2,"name":"Al","n":4.50},{"id":3,"name":"B","n":0}]"#
    #expect(
      try draw(rows, "n", width: 20) == [
        "Ada  ██████████ 8", "Al   █████▋ 4.50", "B    0",
      ])
    #expect(try draw(#"[{"a":{"n":1},"id":7},{"a":{"n":1},"id":8}]"#, "a.n", width: 10).count == 2)
    #expect(try draw(#"[{"a":{"n":1},"id":7}]"#, "a.n", width: 12) == ["7  ███████ 1"])
    #expect(try draw(#"[{"n":1},{"n":"2"}]"#, "n", width: 12) == ["1  ███▌ 1", "2  ███████ 2"])
    #expect(try draw(#"[{"id":5,"name":"x"}]"#, "id", width: 12) == ["x  ███████ 5"])
  }

  @Test func `CHART-02 negative numbers go to the left, what is missing has no bar`() throws {
    #expect(
      try draw(
        #"[{"k":"a","n":2},{"k":"b","n":-2},{"k":"c"},{"k":"d","n":null},{"k":"e","n":-1}]"#, "n",
        width: 14) == [
          "a      ████ 2", "b  ████ -2", "c      –", "d      –", "e    ██ -1",
        ])
    #expect(
      try draw(#"[{"n":-1},{"n":-2}]"#, "n", width: 13) == ["1     ▐███ -1", "2  ███████ -2"])
  }

  @Test func `CHART-02 equal, zero, tiny and huge numbers`() throws {
    #expect(try draw(#"[{"n":3},{"n":3}]"#, "n", width: 12) == ["1  ███████ 3", "2  ███████ 3"])
    #expect(try draw(#"[{"n":0},{"n":0.0}]"#, "n", width: 20) == ["1  0", "2  0.0"])
    #expect(try draw(#"[{"n":1e-300},{"n":1}]"#, "n", width: 17)[0] == "1  ▏ 1e-300")
    let huge = try draw(#"[{"n":1e308},{"n":-1e308}]"#, "n", width: 20)
    #expect(huge == ["1       █████ 1e308", "2  █████ -1e308"])
    #expect(try draw("[]", "n").isEmpty)
    #expect(try draw(#"[{"n":1e308},{"n":1e308}]"#, "n", width: 4, limit: 1).count == 2)
  }

  @Test func `CHART-03 more rows than fit are a line of marks, and so is a list of numbers`() throws
  {
    #expect(
      try draw("[0,1,2,3,4,5,6,7]", "value")
        == ["▁▂▃▄▅▆▇█", "8 rows, lowest 0, highest 7, last 7"])
    #expect(
      try draw(#"[{"n":1},{"n":null},{"n":3}]"#, "n", limit: 2)
        == ["▁ █", "n: 3 rows, lowest 1, highest 3, last 3"])
    #expect(try draw(#"[{"n":1},{"n":3}]"#, "n", limit: 2).count == 2)
    let many = "[" + (1...100).map(String.init).joined(separator: ",") + "]"
    #expect(
      try draw(many, "value", width: 8)
        == [
          "▁▂▃▄▅▆██",
          "100 rows, lowest 1, highest 100, last 100; a mark is the average of 13 rows",
        ])
    #expect(try draw("[5,5]", "value")[0] == "▄▄")
    #expect(try draw("[0]", "value") == ["▁", "1 row, lowest 0, highest 0, last 0"])
    #expect(try draw("[1e308,1e308,-1e308,-1e308]", "value", width: 2)[0] == "█▁")
  }

  @Test
  func
    `CHART-04 labels take as many columns as they are wide, and control characters none of their own`()
    throws
  {
    let rows =
      #"[{"k":"日本","n":1},{"k":"🎉","n":1},{"k":"e\u0301a","n":1},{"k":"a\nb\u001b","n":1}]"#
    let shown = try draw(rows, "n", width: 20, isTerminal: true)
    #expect(shown.map { $0.split(separator: " ", maxSplits: 1)[0] }[0] == "日本")
    let starts = shown.map { TextWidth.of(String($0.prefix { $0 != "█" })) }
    #expect(Set(starts).count == 1, "\(shown)")
    #expect(shown[3].hasPrefix("a b\\x1B"))
    #expect(shown.allSatisfy { TextWidth.of($0) <= 20 })
    let long = try draw(
      #"[{"k":"a very long name that takes all there is","n":1}]"#, "n", width: 24)
    #expect(long[0].hasPrefix("a very l…  █"), "\(long)")
    for width in 1...60 {
      let lines = try draw(rows, "n", width: width, isTerminal: true)
      #expect(lines.count == 4)
      if width > 10 { #expect(lines.allSatisfy { TextWidth.of($0) <= width }) }
    }
  }

  @Test(arguments: [
    (#"[{"n":1},{"n":"abc"}]"#, "n", #"'n' is not a number in row 2: "abc""#),
    (#"[{"n":true}]"#, "n", "'n' is not a number in row 1: true"),
    (#"[{"n":""}]"#, "n", "'n' is not a number in row 1"),
    (#"[{"n":[1]}]"#, "n", "'n' is not a number in row 1: [1]"),
    (#"[{"n":"inf"}]"#, "n", "is not a number"), (#"[{"n":"0x10"}]"#, "n", "is not a number"),
    (#"[{"n":1e999}]"#, "n", "is too large in row 1: 1e999"),
    (#"[{"visits":1}]"#, "visit", "no row has a 'visit' (did you mean 'visits'?)"),
    (#"[{"n":null}]"#, "n", "no row has a 'n'"), (#"[1,2]"#, "n", "--chart value"),
    (#"[{"value":1},2]"#, "value", "row 2 is not a record"),
    (#"[1,"a"]"#, "value", #"'value' is not a number in row 2: "a""#),
    (#"{"items":[]}"#, "n", "the content is a record: select a list with -f"),
    ("3", "n", "the content is no list"),
    (#""a""#, "n", "a text"), (#"[{"n":"a\u001b[2J"}]"#, "n", #"row 1: "a\u001b[2J""#),
  ])
  func `CHART-05 what cannot be drawn is told with its row`(
    json: String, field: String, part: String
  ) {
    #expect(problem(json, field).contains(part), "\(problem(json, field))")
  }
}
