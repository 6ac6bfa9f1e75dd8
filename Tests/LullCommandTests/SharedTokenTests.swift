import LullLibC
import LullTestSupport
import Testing

/// Processes that share a token file, at a server that takes each refresh token once.
@Suite(.timeLimit(.minutes(20)))
struct SharedTokenTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Asks until it has had so many answers; a renewal that was cut off is waited out, as somebody logs in.
  private func script(_ server: RotatingServer, _ count: Int, proxy: String? = nil) -> String {
    """
    local api = lull.service { base_url = "\(server.url)" }
    api:configure {
      proxy = \(proxy.map { "'\($0)'" } ?? "nil"),
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
      elseif err.user_message:find("a renewal was interrupted", 1, true) then
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

  private func start(
    _ server: RotatingServer, _ count: Int, proxy: String? = nil
  ) throws -> Child {
    try Child(Binaries.lull, ["-e", script(server, count, proxy: proxy)])
  }

  /// On a machine of its own, which has nothing but the server in common with others.
  private func start(
    _ server: RotatingServer, _ count: Int, host: Int, of redis: Redis, file: Bool = false,
    isPatient: Bool = false, proxy: String? = nil
  ) throws -> Child {
    let state = "\(folder.path)/host-\(host)"
    mkdir(state, 0o700)
    let line = #"token_file = "\#(folder.path)/tokens.json","#
    let late = #"err.user_message:find("the shared server cannot", 1, true)"#
    let text = script(server, count, proxy: proxy)
      .replacing(line, with: file ? line.replacing(folder.path, with: state) : "")
      .replacing(
        #"elseif err.user_message:find("invalid_grant""#,
        with: #"elseif \#(isPatient) and \#(late) or err.user_message:find("invalid_grant""#)
    return try Child(
      Binaries.lull, ["-e", text],
      environment: ["XDG_STATE_HOME": state, "LULL_SHARE": redis.url])
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

  @Test func `TOK-11 hosts renew once for each rotation, over 1,000 of them`() throws {
    let redis = try Redis()
    let server = try RotatingServer(uses: 10)
    try logIn(server)
    let children = try (0..<8).map { try start(server, 1250, host: $0, of: redis) }
    for child in children {
      let ending = try child.wait()
      #expect(ending.errors == "")
      #expect(ending.code == 0)
    }
    let counts = server.counts
    #expect((counts.served, counts.rotations) == (10_000, 1000))
    #expect((counts.reused, counts.needless) == (0, 0))
    server.stop()
  }

  @Test func `TOK-12 hosts use no refresh token twice though processes are killed`() throws {
    let redis = try Redis()
    let server = try RotatingServer(uses: 3, delay: 20_000)
    try logIn(server)
    var children = try (0..<6).map {
      try start(server, 100_000, host: $0, of: redis, isPatient: true)
    }
    var cuts = 0
    let cut = folder.path + "/cut"
    for round in 0..<40 {
      // Each that is killed after it has sent its token has its lease for ten seconds.
      let before = server.counts.rotations
      for _ in 0..<3000 where server.counts.rotations == before {
        if unlink(cut) == 0 {
          cuts += 1
          try logIn(server)
        }
        usleep(10_000)
      }
      usleep(UInt32.random(in: 0...60_000))
      let killed = children.remove(at: round % children.count)
      killed.send(SIGKILL)
      let said = try killed.wait().errors.split(separator: "\n")
      // On a busy machine the server may be late for one of them.
      let isKnown = said.allSatisfy {
        $0.contains("warning: the shared server") || $0.hasPrefix("lull: still waiting for: ")
      }
      #expect(isKnown, "\(said)")
      children.append(try start(server, 100_000, host: 10 + round, of: redis, isPatient: true))
    }
    let counts = server.counts
    #expect(counts.reused == 0)
    #expect(counts.rotations > 40, "they go on")
    print("\(counts.rotations) rotations, \(cuts) of 40 kills in a renewal")
    server.stop()
  }

  @Test(arguments: [true, false])
  func `TOK-12 a host that is killed in a renewal leaves a token that no other uses`(file: Bool)
    throws
  {
    let redis = try Redis()
    let server = try RotatingServer(uses: 10, delay: 3_000_000)
    try logIn(server)
    let first = try start(server, 1, host: 1, of: redis, file: file)
    try first.wait(until: "it has asked") { server.counts.rotations == 1 }
    first.send(SIGKILL)
    _ = try first.wait()
    let second = try start(server, 1, host: 2, of: redis, file: file)
    let cut = folder.path + "/cut"
    try second.wait(until: "it is told") { access(cut, F_OK) == 0 }
    // Who logs in anew begins anew.
    try logIn(server)
    let ending = try second.wait()
    #expect((ending.code, ending.errors) == (0, ""))
    #expect((server.counts.reused, server.counts.served) == (0, 1))
    server.stop()
  }

  @Test(arguments: [true, false])
  func `TOK-160 TOK-161 who is killed before sending has used nothing up`(shared: Bool) throws {
    let server = try RotatingServer(uses: 10)
    let redis = try Redis()
    try logIn(server)
    let (listener, port) = try #require(RawSocket.listen())
    defer { close(listener) }
    let first =
      shared
      ? try start(server, 1, host: 1, of: redis, proxy: "socks5://127.0.0.1:\(port)")
      : try start(server, 1, proxy: "socks5://127.0.0.1:\(port)")
    // Its greeting is there, and is never answered.
    let connection = try #require(RawSocket.accept(listener))
    defer { close(connection) }
    var byte: UInt8 = 0
    #expect(recv(connection, &byte, 1, 0) == 1)
    first.send(SIGKILL)
    _ = try first.wait()
    let second = shared ? try start(server, 1, host: 2, of: redis) : try start(server, 1)
    let ending = try second.wait()
    #expect((ending.code, ending.errors) == (0, ""))
    #expect(access(folder.path + "/cut", F_OK) != 0, "nobody has to log in again")
    #expect((server.counts.rotations, server.counts.served) == (1, 1))
    server.stop()
  }

  @Test func `TOK-13 without the server a refresh token is used by nobody who has no file`() throws
  {
    let redis = try Redis()
    let server = try RotatingServer(uses: 1)
    try logIn(server)
    #expect(try start(server, 1, host: 1, of: redis).wait().code == 0)
    redis.kill()
    let ending = try start(server, 1, host: 1, of: redis).wait()
    #expect(ending.code == 1)
    #expect(
      ending.errors.contains(
        "the shared server cannot be used, so a refresh token that may be valid only once is not used"
      ), "\(ending.errors)")
    #expect(server.counts.rotations == 1)
    server.stop()
  }

  @Test func `TOK-14 the server takes over what a file has, which is used no more`() throws {
    let redis = try Redis()
    let server = try RotatingServer(uses: 1)
    try logIn(server)
    #expect(try start(server, 1).wait().code == 0)
    mkdir(folder.path + "/host-1", 0o700)
    rename(folder.path + "/tokens.json", folder.path + "/host-1/tokens.json")
    #expect(try start(server, 3, host: 1, of: redis, file: true).wait().code == 0)
    #expect(try start(server, 3, host: 2, of: redis, file: true).wait().code == 0)
    #expect((server.counts.rotations, server.counts.reused) == (7, 0))
    redis.kill()
    let alone = try start(server, 1, host: 1, of: redis, file: true)
    try alone.wait(until: "it is told") { access(folder.path + "/cut", F_OK) == 0 }
    alone.send(SIGKILL)
    _ = try alone.wait()
    #expect((server.counts.rotations, server.counts.reused) == (7, 0))
    server.stop()
  }

  @Test func `TOK-11 TOK-14 the lease is prolonged while the file is waited for`() throws {
    let redis = try Redis()
    let server = try RotatingServer(uses: 1)
    try logIn(server)
    let state = folder.path + "/host-1"
    mkdir(state, 0o700)
    let lock = open(state + "/tokens.json.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(flock(lock, LOCK_EX) == 0)
    let child = try start(server, 1, host: 1, of: redis, file: true)
    func end() throws -> Double? {
      let key = try redis.say("keys", "*:token:*").split(separator: "\n").joined()
      guard !key.isEmpty else { return nil }
      return Double(try redis.say("hget", key, "until").split(separator: "\n").joined())
    }
    var first: Double?
    try child.wait(until: "it has the lease") {
      first = try? end()
      return first != nil
    }
    try child.wait(until: "the lease is prolonged") { (try? end()).flatMap { $0 } != first }
    close(lock)
    #expect(try child.wait().code == 0)
    #expect((server.counts.rotations, server.counts.reused) == (1, 0))
    server.stop()
  }

  @Test func `TOK-15 the server has nothing that can be read`() throws {
    let redis = try Redis()
    let server = try RotatingServer(uses: 9)
    try logIn(server)
    #expect(try start(server, 2, host: 1, of: redis).wait().code == 0)
    let key = try redis.say("keys", "*:token:*").split(separator: "\n").joined()
    let kept = try redis.say("hgetall", key)
    #expect(kept.contains("sealed"))
    for text in ["refresh-1", "access-1", "first-1", "begun"] { #expect(!kept.contains(text)) }
    // What others put there is no token, and the first one is not used a second time.
    for text in ["AAAA", "!!", String(repeating: "A", count: 100_000)] {
      _ = try redis.say("hset", key, "sealed", text)
      let code = script(server, 1).replacing("lull.sleep(0.05)", with: "error(err.user_message)")
      let ending = try Child(Binaries.lull, ["-e", code], environment: ["LULL_SHARE": redis.url])
        .wait()
      #expect(ending.code == 1)
    }
    #expect((server.counts.rotations, server.counts.reused) == (1, 0))
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
