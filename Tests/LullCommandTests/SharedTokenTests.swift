import LullLibC
import LullTesting
import Testing

/// Processes that share a token file, at a server that takes each refresh token once.
@Suite(.timeLimit(.minutes(10)))
struct SharedTokenTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Asks until it has had so many answers; a renewal that was cut off is waited out, as somebody logs in.
  private func script(_ server: RotatingServer, _ count: Int) -> String {
    """
    local api = lull.service { base_url = "\(server.url)" }
    api:configure {
      auth = lull.auth.oauth2_refresh {
        token_url = "\(server.url)/token", client_id = "me",
        refresh_token = lull.secret { file = "\(folder.path)/first" },
        token_file = "\(folder.path)/tokens.json",
      },
    }
    local left = \(count)
    while left > 0 do
      local data, err = api("/work"):get():await()
      if data then
        left = left - 1
      elseif err.user_message:find("a renewal was cut off", 1, true) then
        io.open("\(folder.path)/cut", "w"):close()
        lull.sleep(0.05)
      elseif err.user_message:find("invalid_grant", 1, true) then
        -- Somebody has logged in meanwhile.
        lull.sleep(0.05)
      else
        -- Others have used it up in the time between the renewal and the request.
        assert(err.http_status == 401, err.user_message)
      end
    end
    """
  }

  private func start(_ server: RotatingServer, _ count: Int) throws -> Child {
    try Child(Binaries.lull, ["-e", script(server, count)])
  }

  private func logIn(_ server: RotatingServer) throws {
    _ = try folder.write("first.new", server.begin(), mode: 0o600)
    rename(folder.path + "/first.new", folder.path + "/first")
  }

  @Test func `TOK-01 processes renew once for each rotation, over 1,000 of them`() throws {
    let server = try RotatingServer(uses: 10)
    try logIn(server)
    let children = try (0..<8).map { _ in try start(server, 1250) }
    for child in children {
      let ending = try child.wait()
      #expect(ending.errors == "")
      #expect(ending.code == 0)
    }
    let counts = server.counts
    #expect(counts.served == 10_000)
    #expect(counts.rotations == 1000)
    #expect((counts.reused, counts.needless) == (0, 0))
    server.stop()
  }

  @Test func `TOK-02 no refresh token is used twice though processes are killed`() throws {
    let server = try RotatingServer(uses: 3, delay: 20_000)
    try logIn(server)
    var children = try (0..<6).map { _ in try start(server, 100_000) }
    var cuts = 0
    let cut = folder.path + "/cut"
    for round in 0..<60 {
      usleep(UInt32.random(in: 20_000...120_000))
      let killed = children.remove(at: round % children.count)
      killed.send(SIGKILL)
      #expect(try killed.wait().errors == "")
      children.append(try start(server, 100_000))
      usleep(30_000)
      if unlink(cut) == 0 {
        cuts += 1
        try logIn(server)
      }
    }
    let counts = server.counts
    #expect(counts.reused == 0)
    #expect(counts.rotations > 60, "they go on")
    #expect(cuts > 0, "of sixty some are killed while they renew")
    print("\(counts.rotations) rotations, \(cuts) of 60 kills in a renewal")
    server.stop()
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `TOK-06 an end in the middle of a renewal waits for what it brings`(signal: Int32) throws {
    let server = try RotatingServer(uses: 3, delay: 700_000)
    try logIn(server)
    let child = try start(server, 1)
    try child.wait(until: "it has asked") { server.counts.rotations == 1 }
    child.send(signal)
    let ending = try child.wait()
    #expect(ending.code == 128 + signal)
    let next = try start(server, 1).wait()
    #expect((next.code, next.errors) == (0, ""))
    #expect((server.counts.rotations, server.counts.served) == (1, 1))
    server.stop()
  }

  @Test func `TOK-05 a refresh token whose use cannot be noted is not used`() throws {
    let server = try RotatingServer(uses: 3)
    try logIn(server)
    let child = try Child(
      "/bin/sh",
      [
        "-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" -e \"$1\"", Binaries.lull, script(server, 1),
      ])
    let ending = try child.wait()
    #expect(ending.code == 1)
    #expect(
      ending.errors.contains(
        "the token file \(folder.path)/tokens.json cannot be written (File too large)"),
      "\(ending.errors)")
    #expect(server.counts.rotations == 0)
    server.stop()
  }
}
