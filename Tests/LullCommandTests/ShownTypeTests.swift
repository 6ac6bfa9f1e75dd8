import Testing

@Suite("What a terminal is shown of which types", .timeLimit(.minutes(20)))
struct ShownTypeTests {
  /// Runs `lull get` of an answer, at a terminal without colours.
  private func show(
    _ type: String?, _ body: [UInt8], status: String = "200 OK", _ options: [String] = [],
    terminal: Bool = true
  ) throws -> Child.Ending {
    let headers = ["Content-Length: \(body.count)"] + (type.map { ["Content-Type: \($0)"] } ?? [])
    let head =
      Array(
        (["HTTP/1.1 \(status)"] + headers).joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8)
    let server = try HeldServer([[head, body]])
    defer { server.stop() }
    return try Child(
      Binaries.lull, ["get", server.url] + options,
      environment: ["TERM": "xterm", "NO_COLOR": "1"], terminal: terminal
    ).wait()
  }

  @Test(arguments: [
    "text/xml", "application/xml", "application/atom+xml", "image/svg+xml", "text/html",
    "application/xhtml+xml", "application/rss+xml; charset=utf-8", "text/markdown",
    "application/toml", "application/sql", "application/yaml", "application/javascript",
    "application/octet-stream", nil,
  ])
  func `SHOW-01 text by its type is shown`(type: String?) throws {
    let ending = try show(type, Array("<a>\u{1B}[2J é</a>".utf8))
    #expect(
      ending.output == "<a>\\x1B[2J é</a>\r\n",
      "\(type ?? "no type"): \(ending.output.debugDescription)")
    #expect(ending.code == 0)
  }

  @Test(arguments: ["application/x-ndjson", "application/jsonl"])
  func `SHOW-01 lines of JSON are shown, also where one is none`(type: String) throws {
    let ending = try show(type, Array("{\"a\":1}\n{\"a\":2}\n".utf8))
    #expect(ending.output == "{\"a\":1}\r\n{\"a\":2}\r\n")
    let broken = try show(type, Array("{\"a\":1}\n{oops\n".utf8))
    #expect(broken.output.hasSuffix("{\"a\":1}\r\n{oops\r\n"), "\(broken.output)")
    #expect(broken.code == 1)
  }

  @Test func `SHOW-01 text that is none in its charset is shown byte by byte`() throws {
    let ending = try show("application/xml", Array("<a>".utf8) + [0xE9, 0xFF])
    #expect(ending.output == "<a>\\xE9\\xFF\r\n")
  }

  @Test(arguments: ["image/png", "application/zip", "application/octet-stream", nil])
  func `SHOW-01 what is no text is counted`(type: String?) throws {
    for body in [[0x89, 0x50, 0x4E, 0x47], [65, 0, 66, 10]] as [[UInt8]] {
      let ending = try show(type, body)
      #expect(ending.output.contains("4 bytes not shown on a terminal"), "\(ending.output)")
    }
  }

  @Test func `SHOW-01 a pipe gets every byte`() throws {
    let body = Array("<a>\u{1B}[2J".utf8) + [0xE9]
    let child = try show("image/svg+xml", body, terminal: false)
    #expect(child.code == 0)
    #expect(child.output == String(decoding: body, as: UTF8.self))
  }

  private static let page = """
    <!DOCTYPE html><html><head><meta charset="utf-8"><TITLE lang=en>
      Not &amp; found&#x21; \u{1B}[2J</TITLE></head><body>\(String(repeating: "x", count: 2000))
    """

  @Test func `SHOW-02 a page that comes with an error is its title and size`() throws {
    let ending = try show("text/html; charset=utf-8", Array(Self.page.utf8), status: "502 Oops")
    #expect(
      ending.output.hasSuffix(
        "lull: the response is a page of HTML, 2.1 kB, 'Not & found! \\x1B[2J'; -o raw shows it\r\n"
      ),
      "\(ending.output.debugDescription)")
    #expect(!ending.output.contains("xxx"))
    #expect(ending.output.contains("lull: Bad gateway (GET "))
    #expect(ending.code == 5)
    let untitled = try show("text/html", Array("<h1>Oops</h1>".utf8), status: "404 Not Found")
    #expect(untitled.output.contains("a page of HTML, 13 B, without a title; -o raw"))
    let cutOff = try show("text/html", Array("<title>Oops".utf8), status: "404 Not Found")
    #expect(cutOff.output.contains("a page of HTML, 11 B, without a title; -o raw"))
  }

  @Test func `SHOW-02 -o and pipes get the page, and so does who asked for one`() throws {
    for (options, terminal) in [(["-o", "raw"], true), ([], false)] {
      let ending = try show(
        "text/html", Array(Self.page.utf8), status: "404 Not Found", options, terminal: terminal)
      #expect(ending.output.contains("xxx"))
      #expect(!(ending.output + ending.errors).contains("page of HTML"))
    }
    let fine = try show("text/html", Array(Self.page.utf8))
    #expect(fine.output.contains("xxx"))
  }

  @Test func `ERR-17 the message of a problem is what it says`() throws {
    let body = #"{"title":"Out of credit","detail":"You have 30,\n it costs 50.","status":403}"#
    for options in [[], ["-o", "raw"]] {
      let ending = try show(
        "application/problem+json", Array(body.utf8), status: "403 Forbidden", options,
        terminal: false)
      #expect(
        ending.errors.hasPrefix("lull: Out of credit: You have 30, it costs 50. (GET http://"),
        "\(ending.errors)")
      #expect(ending.output.hasPrefix(#"{"title":"#))
      #expect(ending.code == 4)
    }
  }
}
