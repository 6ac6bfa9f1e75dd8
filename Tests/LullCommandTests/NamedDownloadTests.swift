import Testing

/// Files that are called as the answer says, gone on with, and what comes item by item.
@Suite("--download, -C and --stream", .timeLimit(.minutes(20)))
struct NamedDownloadTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func names(_ path: String = ".") throws -> String {
    try shell("ls -A '\(path)'", folder: folder.path).output
  }

  private func server(_ headers: String..., body: String = "new") throws -> HeldServer {
    let head = ["HTTP/1.1 200 OK", "Content-Length: \(body.utf8.count)"] + headers
    return try HeldServer([
      [
        Array((head + ["Connection: close", "", ""]).joined(separator: "\r\n").utf8),
        Array(body.utf8),
      ]
    ])
  }

  @Test(arguments: [
    ("attachment; filename=\"a b.txt\"", "a b.txt"),
    ("attachment; filename*=UTF-8''%C3%BC.txt", "ü.txt"),
    ("attachment; filename=\"../../etc/x.txt\"", "x.txt"),
    ("attachment; filename=\".bashrc\"", "report.pdf"),
    ("inline", "report.pdf"),
  ])
  func `CMD-14 a download is called as the answer says, or as the URL ends`(
    disposition: String, name: String
  ) throws {
    let server = try server("Content-Disposition: \(disposition)")
    defer { server.stop() }
    let ending = try lull(
      "get", "\(server.url)/a/report.pdf?x=1", "--download", folder: folder.path)
    #expect(ending.errors == "lull: saved as '\(name)'\n")
    #expect(ending.output == "")
    #expect(ending.code == 0)
    #expect(try names() == "\(name)\n")
  }

  @Test func `CMD-14 a file of that name stays, and the new one gets a number`() throws {
    let server = try server()
    defer { server.stop() }
    try folder.write("a.tar.gz", "old")
    for name in ["a-1.tar.gz", "a-2.tar.gz"] {
      let ending = try lull("\(server.url)/a.tar.gz", "--download", folder: folder.path)
      #expect(ending.errors == "lull: saved as '\(name)'\n")
    }
    #expect(try shell("cat *", folder: folder.path).output == "newnewold")
    #expect(try shell("mkdir sub", folder: folder.path).code == 0)
    let ending = try lull("\(server.url)/x", "--download", "-O", "sub", folder: folder.path)
    #expect(ending.errors == "lull: saved as 'sub/x'\n")
    #expect(
      try lull("\(server.url)/x", "--download", "-O", "a.tar.gz", folder: folder.path).code == 0)
    #expect(try shell("cat a.tar.gz", folder: folder.path).output == "new")
  }

  @Test func `CMD-14 two at once take different names`() throws {
    let piece = Array("x".utf8)
    let server = try HeldServer(
      [[HeldServer.head("200 OK", "Content-Length: 2"), piece, piece]], ofEach: 2)
    defer { server.stop() }
    let children = try (0..<2).map { _ in
      try Child(Binaries.lull, ["\(server.url)/a", "--download"], folder: folder.path)
    }
    try server.waitForSent(4, by: children[0])
    server.releaseAll()
    for child in children { #expect(try child.wait().code == 0) }
    #expect(try names() == "a\na-1\n")
  }

  @Test func `CMD-14 of an error nothing is saved`() throws {
    let api = try SampleAPI()
    let ending = try lull("\(api.url)/status/404", "--download", folder: folder.path)
    #expect(ending.code == 4)
    #expect(ending.output.contains("404"))
    #expect(try names() == "")
  }

  @Test func `CMD-15 a file that lull has not begun is loaded anew, and that is said`() throws {
    try folder.write("k", "part")
    let server = try server()
    defer { server.stop() }
    let ending = try lull("\(server.url)/x", "-O", "k", "-C", folder: folder.path)
    #expect(
      ending.errors
        == "lull: there is no partial download of 'k' to resume: loading all of it\n")
    #expect(try shell("cat k", folder: folder.path).output == "new")
    #expect(ending.code == 0)
    #expect(try lull("\(server.url)/x", "-O", "l", "-C", folder: folder.path).errors == "")
  }

  @Test(arguments: [["-O", "data"], ["--download"]])
  func `CMD-15 a download goes on where one before it has ended`(words: [String]) throws {
    let server = try HeldServer([
      [
        HeldServer.head("200 OK", "Content-Length: 6", "ETag: \"1\"", "Accept-Ranges: bytes"),
        Array("one".utf8),
      ],
      [
        HeldServer.head(
          "206 Partial Content", "Content-Length: 3", "Content-Range: bytes 3-5/6", "ETag: \"1\""),
        Array("two".utf8),
      ],
    ])
    defer { server.stop() }
    let line = ["get", "\(server.url)/data", "-C"] + words
    #expect(try Child(Binaries.lull, line, folder: folder.path).wait().code == 6)
    let ending = try Child(Binaries.lull, line, folder: folder.path).wait()
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(server.requests[1].lowercased().contains("range: bytes=3-\r\n"))
    #expect(try names() == "data\n")
    #expect(try shell("cat data", folder: folder.path).output == "onetwo")
  }

  @Test func `CMD-16 rows are written as they come, with the server's digits`() throws {
    let server = try HeldServer(
      [
        [
          HeldServer.head("200 OK", "Content-Type: application/x-ndjson"),
          Array("{\"n\":1.10}\n".utf8), Array("{\"n\":12345678901234567890123}\n[1,\n".utf8),
        ]
      ], released: 2)
    defer { server.stop() }
    let child = try Child(Binaries.lull, ["get", server.url, "--stream"])
    try child.waitForOutput("{\"n\":1.10}\n")
    server.release()
    let ending = try child.wait()
    #expect(ending.output == "{\"n\":1.10}\n{\"n\":12345678901234567890123}\n")
    #expect(ending.errors.contains("line 3 of the stream"))
    #expect(ending.code == 1)
  }

  @Test func `CMD-16 events are objects, and -f and -o are of each`() throws {
    let api = try SampleAPI()
    let url = "\(api.url)/events?count=3"
    #expect(
      try lull("get", url, "--stream").output == """
        {"event":"message","id":"1","data":{"n":1}}
        {"event":"message","id":"2","data":{"n":2}}
        {"event":"message","id":"3","data":{"n":3}}

        """)
    #expect(try lull("get", url, "--stream", "-f", "x.data.n * 2").output == "2\n4\n6\n")
    #expect(
      try lull("get", url, "--stream", "-f", "x.event", "-o", "lines").output
        == "message\nmessage\nmessage\n")
    let broken = try lull("get", url, "--stream", "-f", "x.data.n.m.k")
    #expect(broken.errors.contains("-f"))
    #expect(broken.code == 1)
  }

  @Test func `CMD-16 a stream ends with whoever reads it, and by its limit of time`() throws {
    let api = try SampleAPI()
    let url = "\(api.url)/events?count=1000000&every=1"
    #expect(try shell("lull get '\(url)' --stream -f x.id -o lines | head -2").output == "1\n2\n")
    let silent = try lull(
      "get", "\(api.url)/events?count=1&end=silence", "--stream", "--timeout", "1")
    #expect(silent.output == "{\"event\":\"message\",\"id\":\"1\",\"data\":{\"n\":1}}\n")
    #expect(silent.code == 6)
    let child = try Child(
      Binaries.lull, ["get", "\(api.url)/events?count=1&end=silence", "--stream"])
    try child.waitForOutput("\n")
    child.send(2)
    #expect(try child.wait().code == 130)
  }

  @Test func `CMD-16 what is no stream is said to be none`() throws {
    let api = try SampleAPI()
    let other = try lull("get", "\(api.url)/html", "--stream")
    #expect(
      other.errors.contains("the response is not a stream (its type is text/html; charset=utf-8)"))
    #expect(other.code == 6)
    let missing = try lull("get", "\(api.url)/status/404", "--stream")
    #expect(missing.code == 4)
    let post = try lull("post", "\(api.url)/echo", "a=1", "--stream")
    #expect(
      post.errors
        == "lull: --stream needs a GET request without a body; -O - writes the bytes as they arrive\n"
    )
    #expect(post.code == 2)
  }

  @Test(arguments: [
    (["--download", "-O", "-"], "--download cannot be combined with -O -"),
    (["--download", "-f", "x"], "--download cannot be combined with -f"),
    (["--download", "-i"], "--download cannot be combined with -i"),
    (["-C"], "-C needs -O FILE or --download"),
    (["-C", "-O", "-"], "-C cannot be combined with -O -"),
    (["--stream", "-O", "x"], "--stream cannot be combined with -O"),
    (["--stream", "--all"], "--all cannot be combined with --stream"),
    (
      ["--stream", "-o", "table"],
      "--stream cannot be combined with -o table; -o json, ndjson or lines"
    ),
  ])
  func `CMD-13 what does not go together is refused`(words: [String], problem: String) throws {
    let ending = try Child(
      Binaries.lull, ["get", "http://127.0.0.1:1"] + words, folder: folder.path
    ).wait()
    #expect(ending.errors.contains(problem))
    #expect(ending.code == 2)
    #expect(try names() == "")
  }
}
