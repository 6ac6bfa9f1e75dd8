import Testing

@Suite("Saving bodies: -O", .timeLimit(.minutes(20)))
struct DownloadTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  /// Everything in the folder, hidden or not.
  private func files() throws -> String {
    try shell("ls -A '\(folder.path)'").output
  }

  private func content(_ name: String) throws -> String {
    try shell("cat '\(path(name))'").output
  }

  private static func body(_ text: String) -> [[UInt8]] {
    [HeldServer.head("200 OK", "Content-Length: \(text.utf8.count)"), Array(text.utf8)]
  }

  /// More than `max_body_size` lets into memory, and more than the process has at any time.
  @Test(.measuringRelease)
  func `never holds the whole body`() throws {
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    let count = 120
    let pieces = [HeldServer.head("200 OK", "Content-Length: \(count << 20)")]
    let server = try HeldServer(
      [pieces + [[UInt8]](repeating: piece, count: count)], released: count)
    defer { server.stop() }
    let child = try Child(
      Binaries.released ?? "lull", ["get", server.url, "-O", path("large")])
    // All but the last piece.
    try server.waitForSent(count, by: child)
    let status = try shell("grep VmHWM /proc/\(child.process)/status").output
    let peak = Int(status.filter(\.isNumber)) ?? .max
    #expect(peak < 100 << 10, "\(status)")
    server.release()
    let ending = try child.wait()
    #expect(ending.errors == "")
    #expect(ending.code == 0)
    #expect(try shell("stat -c %s '\(path("large"))'").output == "\(count << 20)\n")
  }

  @Test func `is not seen before it is whole`() throws {
    try folder.write("data", "old", mode: 0o640)
    let server = try HeldServer(
      [[HeldServer.head("200 OK", "Content-Length: 6"), Array("new".utf8), Array("est".utf8)]],
      released: 2)
    defer { server.stop() }
    let child = try Child(Binaries.lull, ["get", server.url, "-O", path("data")])
    try server.waitForSent(2, by: child)
    #expect(try content("data") == "old")
    server.release()
    #expect(try child.wait().code == 0)
    #expect(try content("data") == "newest")
    #expect(try files() == "data\n")
    #expect(try shell("stat -c %a '\(path("data"))'").output == "640\n")
  }

  /// What has arrived of it may be read by no more people than the file that it replaces.
  @Test func `has its mode from the start and lends no rights`() throws {
    try folder.write("data", "old", mode: 0o600)
    let server = try HeldServer(
      [[HeldServer.head("200 OK", "Content-Length: 6"), Array("new".utf8), Array("est".utf8)]],
      released: 2)
    defer { server.stop() }
    let child = try Child(Binaries.lull, ["get", server.url, "-O", path("data")])
    try server.waitForSent(2, by: child)
    // Without a name, or beside it.
    let modes = try shell(
      """
      for f in /proc/\(child.process)/fd/*; do
        case $(readlink "$f") in "\(folder.path)"/*) stat -L -c %a "$f";; esac
      done
      """)
    #expect(modes.output == "600\n", "\(modes.errors)")
    server.release()
    #expect(try child.wait().code == 0)
    #expect(try shell("stat -c %a '\(path("data"))'").output == "600\n")
    let second = try HeldServer([Self.body("program")])
    defer { second.stop() }
    try shellOK("chmod 6755 '\(path("data"))'")
    #expect(try lull("get", second.url, "-O", path("data")).code == 0)
    #expect(try shell("stat -c %a '\(path("data"))'").output == "755\n")
  }

  @Test(arguments: [2, 15] as [Int32])
  func `leaves nothing when it is interrupted`(signal: Int32) throws {
    try folder.write("data", "old")
    let server = try HeldServer(
      [[HeldServer.head("200 OK", "Content-Length: 6"), Array("new".utf8), Array("est".utf8)]],
      released: 2)
    defer { server.stop() }
    let child = try Child(Binaries.lull, ["get", server.url, "-O", path("data")])
    try server.waitForSent(2, by: child)
    child.send(signal)
    #expect(try child.wait().code == 128 + signal)
    #expect(try content("data") == "old")
    #expect(try files() == "data\n")
  }

  @Test(arguments: [("200 OK", 100, 6, ""), ("404 Not Found", 4, 4, "gone")])
  func `saves nothing of a body that breaks off, and nothing of an error, whose body is shown`(
    status: String, length: Int, code: Int32, output: String
  ) throws {
    let server = try HeldServer([
      [HeldServer.head(status, "Content-Length: \(length)"), Array("gone".utf8)]
    ])
    defer { server.stop() }
    let ending = try lull("get", server.url, "-O", path("data"))
    #expect(ending.code == code)
    #expect(ending.output == output)
    #expect(try files() == "")
  }

  @Test func `follows redirects`() throws {
    let server = try HeldServer([
      [
        HeldServer.head("302 Found", "Location: /there", "Content-Length: 5"),
        Array("moved".utf8),
      ], Self.body("here"),
    ])
    defer { server.stop() }
    #expect(try lull("get", server.url, "-O", path("data")).code == 0)
    #expect(try content("data") == "here")
  }

  /// What came with the first attempt is no part of the second one's body.
  @Test func `begins anew when the request is sent again`() throws {
    let server = try HeldServer([
      [HeldServer.head("200 OK", "Content-Length: 100"), Array("first".utf8)], Self.body("2nd"),
    ])
    defer { server.stop() }
    let api = try folder.write(
      "api.lua",
      """
      return require "lull".service{ base_url = "\(server.url)",
        retry = { times = 1, backoff = { base = 0.01, jitter = false } } }
      """)
    let ending = try lull("get", api, "/", "-O", path("data"))
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try content("data") == "2nd")
    // What has left by the output cannot be taken back.
    let again = try HeldServer([
      [HeldServer.head("200 OK", "Content-Length: 100"), Array("first".utf8)], Self.body("2nd"),
    ])
    defer { again.stop() }
    try folder.write(
      "api.lua",
      """
      return require "lull".service{ base_url = "\(again.url)",
        retry = { times = 1, backoff = { base = 0.01, jitter = false } } }
      """)
    let streamed = try lull("get", api, "/", "-O", "-")
    #expect(streamed.output == "first")
    #expect(streamed.errors.contains("cannot write standard output: "), "\(streamed.errors)")
    #expect(streamed.code == 1)
  }

  @Test func `says what cannot be written before it sends`() throws {
    let server = try HeldServer([Self.body("x")])
    defer { server.stop() }
    try folder.write("file", "")
    try shellOK("ln -s '\(path("nowhere"))' '\(path("dangling"))'")
    for (name, reason) in [
      ("", "Is a directory"), ("no/such", "No such file or directory"),
      ("new/", "is not a file name"), ("file/x", "Not a directory"),
      ("dangling", "is a link to a file that does not exist"),
    ] {
      let name = name.isEmpty ? folder.path : path(name)
      let ending = try lull("get", server.url, "-O", name)
      #expect(ending.output == "")
      #expect(
        ending.errors.lowercased() == "lull: cannot write \(name): \(reason)\n".lowercased())
      #expect(ending.code == 1)
    }
    #expect(server.requests == [])
  }

  @Test func `writes to standard output as it arrives`() throws {
    let server = try HeldServer(
      [[HeldServer.head("200 OK", "Content-Length: 6"), Array("new".utf8), Array("est".utf8)]],
      released: 2)
    defer { server.stop() }
    let child = try Child(
      Binaries.lull, ["get", server.url, "-O", "-"], folder: folder.path)
    try child.waitForOutput("new")
    server.release()
    let ending = try child.wait()
    #expect(ending.output == "newest")
    #expect(ending.code == 0)
    #expect(try files() == "")
    let whole = try HeldServer([Self.body("text")])
    defer { whole.stop() }
    let included = try lull("get", whole.url, "-O", "-", "-i").output
    #expect(included.hasPrefix("HTTP/1.1 200 OK\n"))
    #expect(included.hasSuffix("\n\ntext"))
  }

  @Test func `keeps pipes and links`() throws {
    let server = try HeldServer([Self.body("text")])
    defer { server.stop() }
    let ending = try shell(
      """
      mkfifo pipe && touch file && ln -s file link
      cat pipe > read & lull get '\(server.url)' -O pipe && wait
      lull get '\(server.url)' -O link
      cat read file; test -p pipe && test -L link && echo ' both'
      """, folder: folder.path)
    #expect(ending.errors == "")
    #expect(ending.output == "texttext both\n")
  }

  /// Only a part of what was to be saved, whoever asked for it.
  @Test(arguments: [
    ["-H", "Range: bytes=1-"], ["Range:bytes=1-"], ["-H", "range: bytes=1-", "--fresh"], [],
  ])
  func `refuses a part`(words: [String]) throws {
    let server = try HeldServer([
      [
        HeldServer.head("206 Partial Content", "Content-Range: bytes 1-3/4", "Content-Length: 3"),
        Array("BCD".utf8),
      ]
    ])
    defer { server.stop() }
    try folder.write("kept", "as it was")
    let message =
      ": the server sent only a part of the file (206), which is not saved as the whole file; "
      + "-o raw writes the bytes\n"
    for name in ["kept", "new"] {
      let ending = try Child(
        Binaries.lull, ["get", server.url, "-O", name] + words, folder: folder.path
      ).wait()
      #expect(ending.code == 1)
      #expect(ending.output == "")
      #expect(ending.errors == "lull: cannot write \(name)" + message)
    }
    #expect(try content("kept") == "as it was")
    let standard = try Child(Binaries.lull, ["get", server.url, "-O", "-"] + words).wait()
    #expect(standard.code == 1)
    #expect(standard.output == "")
    #expect(standard.errors == "lull: cannot write standard output" + message)
    #expect(try shell("ls -A '\(folder.path)'").output == "kept\n")
    let raw = try Child(Binaries.lull, ["get", server.url, "-o", "raw"] + words).wait()
    #expect(raw.output == "BCD")
  }

  @Test func `refuses a part that settings ask for or a script gives`() throws {
    let server = try HeldServer([
      [HeldServer.head("206 Partial Content", "Content-Length: 3"), Array("BCD".utf8)]
    ])
    defer { server.stop() }
    let asking = try folder.write(
      "asking.lua",
      """
      return require "lull".service{ base_url = "\(server.url)", headers = { Range = "bytes=1-" },
        retry = true }
      """)
    let scripted = try folder.write(
      "scripted.lua",
      """
      return require "lull".service{ base_url = "https://a.invalid",
        networking = function() return { status = 206, body = "BCD" } end }
      """)
    try folder.write("kept", "as it was")
    for file in [asking, scripted] {
      let ending = try lull("get", file, "/", "-O", path("kept"))
      #expect(ending.code == 1)
      #expect(
        ending.errors.contains("the server sent only a part of the file (206)"), "\(ending.errors)")
      #expect(try content("kept") == "as it was")
    }
    #expect(server.requests.count == 1)
    #expect(server.requests.first?.contains("range: bytes=1-") == true)
  }

  @Test func `saves what is sent compressed or empty or by a script`() throws {
    let sample = try SampleAPI()
    let packed = try shell(
      """
      lull get '\(sample.url)/gzip' -O data &&
        curl --silent --compressed '\(sample.url)/gzip' | cmp - data
      """, folder: folder.path)
    #expect(packed.output + packed.errors == "")
    #expect(try lull("get", sample.url + "/empty", "-O", path("empty")).errors == "")
    #expect(try shell("stat -c %s '\(path("empty"))'").output == "0\n")
    let api = try folder.write(
      "api.lua",
      """
      return require "lull".service{ base_url = "https://a.invalid",
        networking = function() return { status = 200, body = "a\\0b" } end }
      """)
    #expect(try lull("get", api, "/", "-O", path("script")).errors == "")
    #expect(try content("script") == "a\0b")
  }

  private func shellOK(_ line: String) throws {
    #expect(try shell(line).code == 0)
  }
}
