import Testing

/// A document keeps integers of 64 bits and doubles (JSN-12); what is written has the server's digits.
@Suite("Numbers in output", .timeLimit(.minutes(20)))
struct NumberTests {
  private let folder: TemporaryFolder
  private let api: String

  init() throws {
    folder = try TemporaryFolder()
    api = try folder.write(
      "api.lua",
      #"""
      local lull = require "lull"
      local json = '{"big": 123456789012345678901234567890, "price":1.10, "e":1E5, '
        .. '"u":"\\u00e9", "l":[ ], "o":{ }, "dup":1, "dup":2}'
      local function answer(http)
        local body = json
        if http.url:find("list") then body = "\u{FEFF} [" .. json .. " ,1.0]\n" end
        return { status = http.url:find("wrong") and 400 or 200, body = body,
          headers = { ["Content-Type"] = "application/json" } }
      end
      local api = lull.service{ base_url = "https://a.invalid", networking = answer }
      api:transform("/changed", function(content) return { price = content.price } end)
      api:transform("/same", function(content) return content end)
      api:transform("/kept", function(content) return { big = content.big, [content.big .. "!"] = 1 } end)
      return api
      """#)
  }

  private static let long = "123456789012345678901234567890"
  private static let line =
    #"{"big":\#(long),"price":1.10,"e":1E5,"u":"é","#
    + #""l":[],"o":{},"dup":1,"dup":2}"#

  @Test(
    arguments: [
      (["/one"], line + "\n"), (["/same"], line + "\n"), (["/wrong"], line + "\n"),
      (["/list"], "[" + line + ",1.0]\n"),
      (["/list", "-o", "ndjson"], line + "\n1.0\n"),
      (["/list", "-o", "lines"], line + "\n1.0\n"),
      (["/one", "-o", "ndjson"], line + "\n"),
      (
        ["/one", "-o", "csv", "--columns", "big,price,dup,no"],
        "big,price,dup,no\n123456789012345678901234567890,1.10,2,\n"
      ),
      (["/list", "--pages", "2"], "[" + line + ",1.0]\n"),
      // What has been through a script has the script's numbers.
      (["/changed"], "{\"price\":1.1}\n"), (["/changed", "-f", "x.price"], "1.1\n"),
      (["/kept", "-f", "x.big"], long + "\n"),
      (["/kept", "-f", "join({ x.big, x.big }, '/')"], "\"\(long)/\(long)\"\n"),
      (["/one", "-f", "join({ x.big, 'a' .. x.big }, ' ')"], "\"\(long) a\(long)\"\n"),
      (["/one", "-f", "{ x.big, type(x.big), type(x.l) }"], "[\(long),\"userdata\",\"table\"]\n"),
    ] as [([String], String)])
  func `are written as they came`(words: [String], output: String) throws {
    let ending = try Child(Binaries.lull, ["get", api] + words).wait()
    #expect(ending.output == output, "\(ending.errors)")
  }

  /// Numbers that an expression takes from the content, whatever way they go.
  @Test(
    arguments: [
      ("x.big", big), ("x.price", "1.10"), ("x.e", "1E5"), ("x.rows[2]", row(2)),
      ("{ x.rows[1] }", "[" + row(1) + "]"),
      ("x.rows[1].price", "1.10"), ("x['rows'][#x.rows - 0].price", "1.100"), ("(x).price", "1.10"),
      ("x.rows", rows), ("filter(x.rows, 'on')", "[" + row(1) + "," + row(3) + "]"),
      ("map(x.rows, 'price')", "[1.10,1.1,1.100]"),
      (
        "map(x.rows, function(row) return { row.price, row.big } end)",
        "[[1.10,\(big)],[1.1,\(big)],[1.100,\(big)]]"
      ),
      ("sort_by(x.rows, 'price')", rows),
      (
        "sort_by(x.rows, function(r) return -r.n end)",
        "[" + row(3) + "," + row(2) + "," + row(1) + "]"
      ),
      ("map(sort_by(x.rows, 'price'), 'price')", "[1.10,1.1,1.100]"),
      ("pick(x, 'price', 'big', 'e')", #"{"price":1.10,"big":\#(big),"e":1E5}"#),
      ("{ id = x.big, n = 1 }", #"{"id":\#(big),"n":1}"#), ("first(x.rows)", row(1)),
      ("min(x.rows, 'price')", row(1)), ("max(map(x.rows, 'big'))", big),
      ("reverse(x.rows)[1].price", "1.100"), ("values(x.one)", "[1.10]"),
      ("flatten({ x.rows })", rows),
      ("group_by(x.rows, 'on')['true'][1].price", "1.10"),
      // Those that it makes are Lua's.
      ("1.10", "1.1"), ("x.price * 2", "2.2"), ("x.price + 0", "1.1"), ("(x.price + 0)", "1.1"),
      ("-x.price", "-1.1"), ("sum(x.rows, 'price')", "3.3000000000000003"),
      ("sum({ x.price })", "1.1"),
      ("average({ x.price })", "1.1"), ("sum(x.rows, 'n')", "6"), ("#x.rows", "3"),
      ("{ x.price * 2 }", "[2.2]"), ("'' .. x.price", #""1.1""#),
      ("{ 1.10, 1e5 }", "[1.1,100000.0]"),
    ] as [(String, String)])
  func `keep their digits through expressions`(expression: String, output: String) throws {
    let ending = try lull("get", try expressions(), "/", "-f", expression)
    #expect(ending.output == output + "\n", "\(ending.errors)")
  }

  @Test(arguments: [
    (
      ["-o", "csv", "--columns", "price,big"], "price,big\n1.10,\(big)\n1.1,\(big)\n1.100,\(big)\n"
    ),
    (["-o", "table", "--columns", "price,n"], "price  n\n1.10   1\n1.1    2\n1.100  3\n"),
    (["-o", "lines"], row(1) + "\n" + row(2) + "\n" + row(3) + "\n"),
    (["-o", "ndjson"], row(1) + "\n" + row(2) + "\n" + row(3) + "\n"),
  ])
  func `keep their digits in every format`(words: [String], output: String) throws {
    let words = ["get", try expressions(), "/"] + words
    let ending = try Child(Binaries.lull, words + ["-f", "filter(x.rows, 'n')"]).wait()
    #expect(ending.output == output, "\(ending.errors)")
  }

  @Test func `keep their digits over all pages`() throws {
    let list = try Child(
      Binaries.lull, ["get", api, "/list", "--pages", "2", "-f", "map(first(x, 1), 'price')"]
    ).wait()
    #expect(list.output == "[1.10]\n", "\(list.errors)")
    let raw = try lull("get", api, "/list", "-f", "{ x[2], first(x) }")
    #expect(
      raw.output == "[1.0," + NumberTests.line.replacing(#""dup":1,"#, with: "") + "]\n",
      "\(raw.errors)")
  }

  private static let big = "12345678901234567890"

  private static func row(_ number: Int) -> String {
    switch number {
    case 1: #"{"n":1,"price":1.10,"big":\#(big),"on":true}"#
    case 2: #"{"n":2,"price":1.1,"big":\#(big),"on":false}"#
    default: #"{"n":3,"price":1.100,"big":\#(big),"on":true}"#
    }
  }

  private static let rows = "[" + row(1) + "," + row(2) + "," + row(3) + "]"

  /// An API whose answer has numbers that Lua spells otherwise.
  private func expressions() throws -> String {
    let json =
      #"{"rows":\#(NumberTests.rows),"big":\#(NumberTests.big),"price":1.10,"e":1E5,"#
      + #""one":{"price":1.10}}"#
    return try folder.write(
      "expressions.lua",
      """
      return require "lull".service{ base_url = "https://a.invalid", networking = function()
        return { body = '\(json)', headers = { ["Content-Type"] = "application/json" } } end }
      """)
  }

  @Test func `are written as they came on a terminal`() throws {
    let ending = try Child(
      Binaries.lull, ["get", api, "/one"], environment: ["TERM": "xterm", "NO_COLOR": "1"],
      terminal: true
    ).wait()
    #expect(
      ending.output.replacing("\r\n", with: "\n") == """
        {
          "big": 123456789012345678901234567890,
          "price": 1.10,
          "e": 1E5,
          "u": "é",
          "l": [],
          "o": {},
          "dup": 1,
          "dup": 2
        }

        """)
  }
}
