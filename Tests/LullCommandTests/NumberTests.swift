import Testing

/// A document keeps integers of 64 bits and doubles (JSN-12); what is written has the server's digits.
@Suite("Numbers in output")
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
      return api
      """#)
  }

  private static let line =
    #"{"big":123456789012345678901234567890,"price":1.10,"e":1E5,"u":"é","#
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
      (["/changed"], "{\"price\":1.1}\n"), (["/one", "-f", "x.price"], "1.1\n"),
    ] as [([String], String)])
  func areWrittenAsTheyCame(words: [String], output: String) throws {
    let ending = try Child(Binaries.lull, ["get", api] + words).wait()
    #expect(ending.output == output, "\(ending.errors)")
  }

  @Test func areWrittenAsTheyCameOnATerminal() throws {
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
