import Testing

/// Rows as bars.
@Suite("--chart", .timeLimit(.minutes(20)))
struct ChartOptionTests {
  private let sample: SampleAPI
  private let folder: TemporaryFolder

  init() throws {
    sample = try SampleAPI()
    folder = try TemporaryFolder()
  }

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, words).wait()
  }

  private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

  private var users: String { "\(sample.url)/users" }

  @Test func `CHART-01 rows, pages, and what -f gives are drawn, 80 columns wide in a pipe`() throws
  {
    let ending = try run("get", users, "per_page==3", "--chart", "visits")
    #expect(ending.errors == "")
    #expect(
      lines(ending.output)
        == [
          "Ada Lovelace    0", "Alan Turing     " + String(repeating: "█", count: 30) + "▌ 7",
          "Barbara Liskov  " + String(repeating: "█", count: 61) + " 14",
        ].map { Substring($0) })
    #expect(try lines(run("get", users, "--all", "--chart", "visits").output).count == 25)
    #expect(
      try lines(run("get", users, "--all", "-f", "filter(x, 'visits')", "--chart", "visits").output)
        .count == 25)
    let top = try run(
      "get", users, "--all", "-f", "first(sort_by(x, '-visits'), 2)", "--chart", "visits")
    #expect(lines(top.output).count == 2)
    let marks = try run("get", users, "--all", "-f", "map(x, 'visits')", "--chart", "value")
    #expect(lines(marks.output).count == 2)
    #expect(lines(marks.output).last?.hasPrefix("25 rows, lowest 0") == true)
  }

  @Test func `CHART-01 rows of a call are where its file says`() throws {
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require("lull").service("\(sample.url)"), calls = {
        list = { method = "POST", path = "/echo", rows = "json.rows",
          params = { rows = "json" } } } }
      """)
    let ending = try Child(
      Binaries.lull, ["call", "shop", "list", "--rows", #"[{"n":2},{"n":1}]"#, "--chart", "n"],
      folder: folder.path
    ).wait()
    #expect(lines(ending.output).count == 2, "\(ending.errors)")
    #expect(lines(ending.output).last?.hasSuffix(" 1") == true)
  }

  @Test func `CHART-03 a terminal with too few lines is shown marks, in its width and colour`()
    throws
  {
    func draw(_ size: String, _ colour: String) throws -> String {
      try Child(
        "bash", ["-c", "stty \(size); $LULL get '\(users)?per_page=8' --chart visits"],
        environment: ["TERM": "xterm", "NO_COLOR": colour, "LULL": Binaries.lull], terminal: true
      ).wait().output
    }
    let bars = try draw("rows 20 cols 40", "1")
    #expect(bars.split(separator: "\r\n").count == 8)
    #expect(bars.split(separator: "\r\n").allSatisfy { $0.count <= 40 })
    #expect(bars.split(separator: "\r\n").contains { $0.count > 30 })
    let marks = try draw("rows 6 cols 40", "1")
    #expect(marks.contains("visits: 8 rows, lowest 0"))
    #expect(try draw("rows 20 cols 40", "").contains("\u{1B}[36m█"))
  }

  @Test(arguments: [
    ("-o json", "cannot be combined with -o"), ("-r", "cannot be combined with -r"),
    ("--columns a", "cannot be combined with --columns"), ("-O f", "cannot be combined with -O"),
    ("--download", "cannot be combined with --download"),
    ("--stream", "cannot be combined with --stream"),
  ])
  func `CHART-06 what writes the content is refused beside it`(options: String, problem: String)
    throws
  {
    let words = ["get", "http://127.0.0.1:1/", "--chart", "n"]
    let ending = try Child(Binaries.lull, words + options.split(separator: " ").map(String.init))
      .wait()
    #expect(ending.code == 2)
    #expect(lines(ending.errors).first?.contains(problem) == true, "\(ending.errors)")
  }

  @Test func `CHART-06 so are no name, a body that never comes, and what has no chart`() throws {
    #expect(try run("get", users, "--chart", "").code == 2)
    #expect(try run("head", users, "--chart", "n").errors.contains("--chart cannot be used"))
    #expect(try run("changed", users, "--chart", "n").code == 2)
    #expect(try run("get", users, "--chart", "n", "--chart", "m").code == 2)
  }

  @Test func `CHART-05 what cannot be drawn is told in one line, with exit code 1`() throws {
    for (words, problem) in [
      ([users, "--chart", "name"], "'name' is not a number in row 1: \"Ada Lovelace\""),
      ([users, "--chart", "visit"], "did you mean 'visits'?"),
      (["\(users)/1", "--chart", "visits"], "the content is a record"),
      (["\(sample.url)/bytes/10", "--chart", "visits"], "--chart needs a JSON list"),
      ([users, "--all", "--chart", "name"], "is not a number in row 1"),
      ([users, "--all", "-f", "map(x, 'name')", "--chart", "value"], "is not a number in row 1"),
    ] {
      let ending = try Child(Binaries.lull, ["get"] + words).wait()
      #expect(ending.code == 1, "\(words)")
      #expect(ending.output == "")
      #expect(lines(ending.errors).count == 1)
      #expect(ending.errors.contains(problem), "\(ending.errors)")
    }
    let none = "filter(x, function() return false end)"
    let empty = try run("get", users, "-f", none, "--chart", "n")
    #expect(empty.code == 0)
    #expect(empty.output == "")
    #expect(empty.errors == "lull: the list is empty, so there is nothing to draw\n")
    let missing = try run("get", "\(sample.url)/status/404", "--chart", "n")
    #expect(missing.code == 4)
    #expect(missing.output.contains("\"status\":404"))
  }

  @Test func `CHART-06 a default format gives way to it`() throws {
    try folder.write("lull/config.lua", "return { output = 'table', columns = 'id' }")
    let ending = try Child(
      Binaries.lull, ["get", users, "--chart", "visits"],
      environment: ["XDG_CONFIG_HOME": folder.path]
    ).wait()
    #expect(ending.output.contains("█"))
  }
}
