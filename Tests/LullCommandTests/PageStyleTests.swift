import LullTesting
import Testing

/// The ways in which servers say how a list goes on, in the command and in scripts: what is
/// unambiguous is followed, anything else is an error that names the option, and the option works.
@Suite("Styles of pages", .timeLimit(.minutes(20)))
struct PageStyleTests {
  private let folder: TemporaryFolder
  private let server: EchoServer
  private var base: String { "http://127.0.0.1:\(server.port)" }

  /// One style of a server that has five rows, of which it gives two at a time.
  struct Style: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the second page's error names; nil: the pages are followed.
    var names: [String]?
    /// Options of the command, and of `pages`.
    var words: [String] = []
    var script = ""
    /// The page from a row on, as `(offset, rows) -> (headers, body)`.
    let body: @Sendable (Page) -> (headers: [String], body: String)

    var testDescription: String { name }
  }

  struct Page: Sendable {
    let base: String
    let path: String
    let offset: Int
    var rows: String {
      "["
        + (offset..<max(offset, min(offset + 2, 5))).map { "{\"id\":\($0 + 1)}" }.joined(
          separator: ",") + "]"
    }
    var hasMore: Bool { offset + 2 < 5 }
    var number: Int { offset / 2 + 1 }
    /// The URL of the page after it, as a JSON string; null at the end.
    var next: String { hasMore ? "\"\(base)\(path)?from=\(offset + 2)\"" : "null" }
    /// A cursor for it.
    func cursor(else end: String = "null") -> String { hasMore ? "\"c+/\(offset + 2)\"" : end }
    /// Its number.
    var nextNumber: String { hasMore ? "\(number + 1)" : "null" }
  }

  private static let cursor = ["--cursor", "next_cursor"]

  static let styles: [Style] = [
    Style(name: "link") { page in
      (page.hasMore ? ["Link: <?from=\(page.offset + 2)>; rel=\"next\""] : [], page.rows)
    },
    Style(name: "next") { ([], "{\"data\":\($0.rows),\"next\":\($0.next)}") },
    Style(name: "links.next") { ([], "{\"data\":\($0.rows),\"links\":{\"next\":\($0.next)}}") },
    Style(name: "odata") { ([], "{\"value\":\($0.rows),\"@odata.nextLink\":\($0.next)}") },
    Style(name: "pagination.next_url") {
      ([], "{\"data\":\($0.rows),\"pagination\":{\"next_url\":\($0.next)}}")
    },
    Style(
      name: "next_cursor", names: ["'next_cursor'", "--cursor next_cursor=cursor"],
      words: ["--cursor", "next_cursor"],
      script: "cursor = { param = 'cursor', field = 'next_cursor' }"
    ) { ([], "{\"data\":\($0.rows),\"next_cursor\":\($0.cursor())}") },
    Style(
      name: "meta.next_cursor", names: ["'meta.next_cursor'", "--cursor meta.next_cursor=cursor"],
      words: ["--cursor", "meta.next_cursor=cursor"],
      script: "cursor = { param = 'cursor', field = 'meta.next_cursor' }"
    ) { ([], "{\"data\":\($0.rows),\"meta\":{\"next_cursor\":\($0.cursor(else: "\"\""))}}") },
    Style(
      name: "has_more", names: ["'has_more'", "--cursor id="],
      words: ["--cursor", "id=after"],
      script: "cursor = { param = 'after', field = 'id', items = 'data', more = 'has_more' }"
    ) { ([], "{\"data\":\($0.rows),\"has_more\":\($0.hasMore)}") },
    Style(
      name: "nextPageToken", names: ["'nextPageToken'", "--cursor nextPageToken=pageToken"],
      words: ["--cursor", "nextPageToken"],
      script: "cursor = { param = 'pageToken', field = 'nextPageToken' }"
    ) { page in
      (
        [],
        "{\"items\":\(page.rows)" + (page.hasMore ? ",\"nextPageToken\":\(page.cursor())}" : "}")
      )
    },
    Style(
      name: "next_page", names: ["'next_page'", "--page page"], words: ["--page", "page"],
      script: "page = { param = 'page' }"
    ) { ([], "{\"data\":\($0.rows),\"next_page\":\($0.nextNumber)}") },
    Style(
      name: "total_pages", names: ["'total_pages'", "--page page"], words: ["--page", "page"],
      script: "page = { param = 'page' }"
    ) { ([], "{\"data\":\($0.rows),\"page\":\($0.number),\"total_pages\":3}") },
    Style(
      name: "offset", names: ["'count'", "--offset offset"], words: ["--offset", "offset"],
      script: "offset = { param = 'offset' }"
    ) { ([], "{\"data\":\($0.rows),\"offset\":\($0.offset),\"limit\":2,\"count\":5}") },
    Style(
      name: "X-Next-Page", names: ["'X-Next-Page'", "--page page"], words: ["--page", "page"],
      script: "page = { param = 'page' }"
    ) { (["X-Next-Page: \($0.hasMore ? $0.nextNumber : "")"], $0.rows) },
    Style(
      name: "X-Total-Pages", names: ["'X-Total-Pages'", "--page page"], words: ["--page", "page"],
      script: "page = { param = 'page' }"
    ) { (["X-Page: \($0.number)", "X-Total-Pages: 3"], $0.rows) },
  ]

  /// Answers that no style has, by path.
  private static let others: [String: [String: String]] = [
    "kinds": [
      "": "{\"data\":[1],\"next\":\"?p=2\"}", "p=2": "{\"error\":{\"message\":\"quota\"}}",
    ],
    "list": ["page=1": "[1]", "page=2": "{\"message\":\"slow down\"}"],
    "same": ["page=1": "[{\"id\":1}]", "page=2": "[{\"id\":1}]"],
    "false": ["": "{\"data\":[1],\"next\":\"?p=2\",\"has_more\":false}"],
    "zero": ["": "{\"data\":[1],\"next_cursor\":0}"],
    "no": ["": "{\"data\":[1],\"next_cursor\":false}"],
    "url": [
      "": "{\"data\":[1],\"c\":\"http://evil.test/x?c=2\"}"
    ],
    "rows": [
      "": "{\"a\":{\"b\":[1,2]},\"other\":[9],\"next_url\":\"?p=2\"}", "p=2": "{\"other\":[]}",
    ],
    "data-token": ["": "{\"data\":{\"items\":[1],\"nextPageToken\":\"abc\"}}"],
    "graph": [
      "": "{\"users\":{\"nodes\":[1],\"pageInfo\":{\"hasNextPage\":true,\"endCursor\":\"x\"}}}"
    ],
    "count": ["": "{\"data\":[1],\"count\":5}"],
    "null-flag": [
      "": "{\"data\":[1],\"has_more\":null,\"next\":\"?p=2\"}",
      "p=2": "{\"data\":[2],\"has_more\":\"\"}",
    ],
    "fail": [
      "": "{\"data\":[1],\"next\":\"?p=2\"}", "p=2": "{\"status\":\"fail\",\"reason\":\"x\"}",
    ],
    "clamp": [
      "page=1": "{\"now\":1,\"data\":[1]}", "page=2": "{\"now\":2,\"data\":[2]}",
      "page=3": "{\"now\":3,\"data\":[2]}",
    ],
    "own-path": ["": "{\"data\":[1],\"c\":\"own-path?c=2\"}", "c=2": "{\"data\":[2],\"c\":null}"],
    "base64": [
      "": "{\"data\":[1],\"c\":\"/8aG+d==\"}",
      "c=/8aG%2Bd%3D%3D": "{\"data\":[2]}",
    ],
    "elsewhere": ["": "{\"data\":[1],\"next_url\":\"http://evil.test/x\"}"],
    "blank": ["": "{\"data\":[1],\"c\":\" //evil.test/x\"}"],
    "lines": [
      "": "{\"n\":1.50}\n{\"n\":2}\n", "page=1": "{\"n\":1.50}\n{\"n\":2}\n",
      "page=2": "{\"n\":3.50}\n", "page=3": "",
    ],
    "from0": ["": "{\"content\":[{\"id\":1}],\"number\":0,\"totalPages\":2,\"last\":false}"],
  ]

  init() throws {
    folder = try TemporaryFolder()
    server = try EchoServer { request, _ in
      let json = "Content-Type: application/json"
      let target = request.line.split(separator: " ")[1]
      let path = target.dropFirst().prefix { $0 != "?" }
      let query = target.dropFirst(path.count + 2)
      if let answers = Self.others[String(path)] {
        guard let body = answers[String(query)] else {
          return .init(status: "400 Bad Request", headers: [json], body: "{\"asked\":\"\(query)\"}")
        }
        return .init(headers: [json], body: body)
      }
      guard let style = Self.styles.first(where: { $0.name == path }) else {
        return .init(status: "404 Not Found", headers: [json], body: "{}")
      }
      var offset = 0
      for pair in query.split(separator: "&") {
        let number = Int(pair.drop { $0 != "=" }.dropFirst()) ?? -1
        switch pair.prefix(while: { $0 != "=" }) {
        case "from", "offset", "after": offset = number
        case "page": offset = (number - 1) * 2
        case "cursor", "pageToken":
          offset = pair.contains("=c%2B") ? pair.last?.wholeNumberValue ?? 100 : 100
        default: offset = 100
        }
      }
      let host = request.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("host: ") }
      let page = Page(
        base: "http://\(host?.dropFirst(6) ?? "")", path: "/\(path)", offset: offset)
      let (headers, body) = style.body(page)
      return .init(headers: headers + [json], body: body)
    }
  }

  private func run(_ words: [String]) throws -> Child.Ending {
    try Child(Binaries.lull, words, folder: folder.path).wait()
  }

  private static let script = """
    local lull = require "lull"
    local ids = {}
    local ok, err = pcall(function()
      for page in lull.service(arg[1])("/" .. arg[2]):pages(load("return {" .. arg[3] .. "}")()) do
        for _, row in ipairs(page.data or page.items or page.value or page) do ids[#ids + 1] = row.id end
      end
    end)
    print(table.concat(ids, " "))
    if not ok then print(err.user_message) end
    """

  private func pages(_ style: Style, _ options: String) throws -> [Substring] {
    try folder.write("pages.lua", Self.script)
    let ending = try run(["pages.lua", base, style.name, options])
    #expect(ending.errors == "")
    return ending.output.split(separator: "\n")
  }

  @Test(arguments: styles)
  func `PAG-73 a style is followed, or an error of the second page names field and option`(
    _ style: Style
  ) throws {
    let ids =
      "map(flatten(map(x, function(p) return p.data or p.items or p.value or { p } end)), 'id')"
    let one = try run(["get", "\(base)/\(style.name)", "--pages", "1", "-f", ids])
    #expect(one.output == "[1,2]\n" && one.errors == "" && one.code == 0)
    let all = try run(["get", "\(base)/\(style.name)", "--all", "-f", ids])
    let lines = try pages(style, "")
    guard let names = style.names else {
      #expect(all.output == "[1,2,3,4,5]\n" && all.code == 0, "\(all)")
      #expect(lines == ["1 2 3 4 5"])
      return
    }
    #expect(all.output == "" && all.code == 1)
    for name in names { #expect(all.errors.contains(name), "\(all.errors)") }
    #expect(lines.count == 2 && lines[0] == "1 2" && lines[1].contains(names[0]), "\(lines)")
    let option = style.script.prefix { $0 != " " }
    #expect(lines.last?.contains(": pass \(option) = { param = ") == true, "\(lines)")
  }

  @Test(arguments: styles.filter { $0.names != nil })
  func `PAG-73 the option that the error names loads all pages`(_ style: Style) throws {
    let rows = style.name == "nextPageToken" ? "items" : "data"
    let isPlain = style.name.hasPrefix("X-")
    let ending = try run(
      ["get", "\(base)/\(style.name)", "--all", "-o", "csv"] + style.words
        + (isPlain ? [] : ["--rows", rows]))
    #expect(
      ending.output == "id\n1\n2\n3\n4\n5\n" && ending.errors == "" && ending.code == 0, "\(ending)"
    )
    let without = try run(
      ["get", "\(base)/\(style.name)", "--all", "-f", "#x"] + style.words)
    #expect(without.code == 0 && without.errors == "", "\(without)")
    #expect(try pages(style, style.script) == ["1 2 3 4 5"])
  }

  @Test(arguments: [
    (["kinds"], "Page 2 has 'error' 'quota' and no list 'data'"),
    (
      ["list", "--page", "page"],
      "Page 2 is an object with 'message' 'slow down', but page 1 is a list"
    ),
    (
      ["same", "--page", "page"],
      "Page 2 has the same rows as page 1: the server seems to ignore the parameter"
    ),
    (["url", "--cursor", "c"], "on another origin, http://evil.test"),
    (
      ["from0"],
      "'totalPages' is '2': there is another page, but its URL is not given: pass --page page page==0"
    ),
  ])
  func `PAG-74 pages of another kind, the same ones and URLs of other origins are errors`(
    _ words: [String], _ error: String
  ) throws {
    let ending = try run(
      ["get", "\(base)/\(words[0])", "--all", "-o", "ndjson"] + words.dropFirst())
    #expect(ending.code == 1 && ending.errors.contains(error), "\(ending.errors)")
    #expect(!ending.output.contains("error") && ending.output.count { $0 == "\n" } == 1)
  }

  @Test(arguments: ["false", "zero", "no"])
  func `PAG-75 has_more that is false, and 0 and false as a cursor, end the list`(_ path: String)
    throws
  {
    for words in [[], ["--cursor", "next_cursor"]] {
      let ending = try run(
        ["get", "\(base)/\(path)", "--all", "--rows", "data", "-o", "ndjson"] + words)
      #expect(ending.output == "1\n" && ending.code == 0, "\(ending)")
      #expect(ending.errors.isEmpty || words.count == 2 && path == "false")
    }
  }

  @Test func `PAG-76 rows are those of a field, and what does not fit is refused`() throws {
    let all = try run(["get", "\(base)/rows", "--all", "--rows", "a.b"])
    #expect(all.output == "[1,2]\n" && all.code == 0)
    let lacking = try run(["get", "\(base)/zero", "--all", "--cursor", "nxt"])
    #expect(
      lacking.errors == "lull: warning: the only page has no field 'nxt', which --cursor names\n")
    #expect(lacking.code == 0)
    for (words, message) in [
      (["--cursor", "c"], "--cursor needs --all or --pages N"),
      (["--page", "p", "--offset", "o", "--all"], "--page cannot be combined with --offset"),
      (["--cursor", "=c", "--all"], "--cursor needs FIELD or FIELD=PARAM, got '=c'"),
      (["--rows", "data"], "--rows needs --all, --pages N, --chart FIELD, -o table"),
      (["--page", "p", "--all", "p==x"], "'p' in the URL must be a whole number"),
    ] {
      let ending = try run(["get", "\(base)/zero"] + words)
      #expect(ending.code == 2 && ending.errors.contains(message), "\(ending.errors)")
    }
    let post = try run(["post", "\(base)/zero", "--page", "p"])
    #expect(post.code == 2)
  }

  /// - Parameter output: What is written before the error, a line for each row.
  @Test(arguments: [
    (["data-token"], "1\n", "'data.nextPageToken' is 'abc'"),
    (["data-token"], "1\n", "pass --cursor data.nextPageToken=pageToken"),
    (["graph"], "1\n", "pass --cursor users.pageInfo.endCursor=after"),
    (["count"], "1\n", "'count' is 5, but the list ends at element 1"),
    (["fail"], "1\n", "Page 2 has 'status', 'reason' and no list 'data', which page 1 has"),
    (["clamp", "--page", "page"], "1\n2\n", "Page 3 has the same rows as page 2"),
    (["blank", "--cursor", "c"], "1\n", "on another origin, http://evil.test"),
  ])
  func `PAG-80 to PAG-85 what is missing or repeated is an error after the rows`(
    _ words: [String], _ output: String, _ error: String
  ) throws {
    let rows = ["data-token": "data.items", "graph": "users.nodes"][words[0]] ?? "data"
    let ending = try run(
      ["get", "\(base)/\(words[0])", "--all", "-o", "ndjson", "--rows", rows] + words.dropFirst())
    #expect(ending.output == output && ending.code == 1, "\(ending)")
    #expect(ending.errors.contains(error), "\(ending.errors)")
  }

  @Test(arguments: [
    ["null-flag"], ["own-path", "--cursor", "c"], ["base64", "--cursor", "c"],
  ])
  func `PAG-81 and PAG-84 null denies nothing, and base64 is no URL`(_ words: [String]) throws {
    let ending = try run(
      ["get", "\(base)/\(words[0])", "--all", "--rows", "data"] + words.dropFirst())
    #expect(ending.output == "[1,2]\n" && ending.code == 0, "\(ending)")
  }

  @Test func `PAG-86 a page of one line is a line after a page of lines`() throws {
    let ending = try run(["get", "\(base)/lines", "--all", "--page", "page"])
    #expect(ending.output == "[{\"n\":1.50},{\"n\":2},{\"n\":3.50}]\n", "\(ending)")
    #expect(ending.errors == "" && ending.code == 0)
  }

  @Test func `PAG-88 the command names no option for other origins, for it has none`() throws {
    let ending = try run(["get", "\(base)/elsewhere", "--all"])
    #expect(ending.code == 1)
    #expect(
      ending.errors.hasPrefix("lull: The next page is on another origin, http://evil.test ("),
      "\(ending.errors)")
  }
}
