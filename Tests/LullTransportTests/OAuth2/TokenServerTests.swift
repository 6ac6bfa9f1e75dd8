import LullCore
import LullLibC
import LullSystem
import LullTesting
import Synchronization
import Testing

@testable import LullTransport

/// Renewals by a server, one step after the other.
@Suite(.timeLimit(.minutes(20)))
struct TokenServerTests {
  /// What there was to do.
  private enum Step {
    case done(OAuth2Tokens)
    case due(OAuth2Tokens?, OAuth2Renewal.End)
    case refused(String)
  }

  func settings(_ grant: OAuth2.Settings.Grant? = nil) -> OAuth2.Settings {
    OAuth2.Settings(
      tokenURL: "https://login.test/token", clientID: "me",
      clientSecret: SecretText(Secret(.literal("geheim"), name: "CLIENT")),
      grant: grant ?? .refresh(SecretText(Secret(.literal("first"), name: "REFRESH"))))
  }

  /// As another host's process has it: nothing but the server is the same.
  func client(
    _ url: String, _ loop: EventLoop, path: String? = nil
  ) throws -> ShareClient {
    let client = ShareClient(
      try ShareSettings(Share(url: url)), loop.pump, limitsPath: path
    ) { _ in }
    loop.pump.add(client)
    return client
  }

  private func begin(
    _ client: ShareClient, _ loop: EventLoop, file: OAuth2TokenFile? = nil,
    grant: OAuth2.Settings.Grant? = nil, unsaved: OAuth2Tokens? = nil, patience: Double = 30,
    comeback: Double = 0, before: () -> Void = {}, while change: () -> Void = {}
  ) throws -> Step {
    var place = try #require(OAuth2TokenServer(client, settings(grant), loop.pump, file: file))
    place.patience = patience
    place.comeback = comeback
    before()
    // Of tokens that are there none is good any more.
    let need = OAuth2TokenNeed(now: 1e12, rejected: nil, unsaved: unsaved)
    var turn: Result<OAuth2Turn, TokenFile.Problem>?
    place.begin(need, unless: StopSign()) { turn = $0 }
    change()
    loop.turn { turn != nil }
    switch try #require(turn) {
    case .success(.done(let tokens)): return .done(tokens)
    case .failure(let problem): return .refused(problem.message)
    case .success(.due(let renewal)):
      guard let note = renewal.note else { return .due(renewal.known, renewal.end) }
      // As where there is a connection.
      var answer: TokenFile.Problem??
      note { answer = .some($0) }
      loop.turn { answer != nil }
      guard let problem = answer ?? nil else { return .due(renewal.known, renewal.end) }
      _ = end(renewal.end, .none(isCertain: true), loop)
      return .refused(problem.message)
    }
  }

  /// - Returns: what could not be kept.
  func end(_ end: OAuth2Renewal.End, _ outcome: OAuth2Outcome, _ loop: EventLoop) -> String? {
    var answer: TokenFile.Problem??
    end(outcome) { answer = .some($0) }
    loop.turn { answer != nil }
    return answer??.message
  }

  /// Those that a renewal brings with the refresh token of that number.
  func tokens(_ number: Int, from known: OAuth2Tokens? = nil) -> OAuth2Tokens {
    OAuth2Tokens(access: "access-\(number)", refresh: "refresh-\(number)", lifetime: 60, now: 0)
      .renewed(from: known, with: known?.refresh ?? "first", given: "refresh-\(number)")
  }

  /// Renews once.
  private func renew(
    _ client: ShareClient, _ loop: EventLoop, _ number: Int
  ) throws -> OAuth2Tokens? {
    guard case .due(let known, let end) = try begin(client, loop) else { return nil }
    let tokens = tokens(number, from: known)
    #expect(self.end(end, .got(tokens), loop) == nil)
    return tokens
  }

  func key(_ bench: ShareBench) throws -> String {
    try #require(bench.say("--raw keys '*:token:*'").first)
  }

  @Test func `TOK-16 a note that is answered too late leaves the token to be used`() throws {
    let bench = try ShareBench(isPatient: false)
    let folder = try #require(TemporaryDirectory())
    var settings = settings()
    settings.tokenFile = folder.path + "/tokens.json"
    let file = OAuth2TokenFile(
      keeper: OAuth2TokenKeeper(TokenFile(folder.path + "/tokens.json"), settings),
      pump: bench.loop.pump)
    bench.client.patience = { _ in
      // This loop is slow as well, since it asks a program about the server.
      ShareLink.Patience(operation: 0.5, first: 30, late: 30)
    }
    // Between the lease and the note the file is waited for.
    let lock = open(folder.path + "/tokens.json.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(flock(lock, LOCK_EX) == 0)
    let step = try begin(
      bench.client, bench.loop, file: file,
      while: {
        bench.loop.turn { !bench.say("--raw keys '*:token:*'").isEmpty }
        _ = bench.say("client pause 1500")
        close(lock)
      })
    guard case .refused(let message) = step else {
      Issue.record("\(step)")
      return
    }
    #expect(message.contains("cannot record the use of a refresh token"))
    bench.waitUntilUsable()
    let other = try client(bench.server.url, bench.loop)
    guard case .due(nil, let end) = try begin(other, bench.loop) else {
      Issue.record("the token was never sent")
      return
    }
    #expect(self.end(end, .got(tokens(1)), bench.loop) == nil)
    #expect(bench.say("--raw hkeys \(try key(bench))") == ["sealed"])
  }

  @Test func `TOK-16 a process knows which of its notes nothing came of`() throws {
    let begun = Mutex("")
    let server = try #require(
      PlainShareServer { words in
        guard let place = words.firstIndex(where: { $0.hasPrefix("lull:{lull:token:") }) else {
          return ":1\r\n"
        }
        switch words[place + 1] {
        case "begin":
          let text = begun.withLock { $0 }
          return "*3\r\n:1\r\n$0\r\n\r\n$\(text.utf8.count)\r\n\(text)\r\n"
        case "note":
          // It is noted, and nobody hears of it; nor is it taken back.
          begun.withLock { $0 = words[place + 3] }
          return nil
        default: return ":1\r\n"
        }
      })
    let loop = try EventLoop()
    defer { loop.close() }
    let (own, other) = (try client(server.url, loop), try client(server.url, loop))
    for client in [own, other, own] {
      loop.turn { client.isUsable("") }
      guard case .refused(let message) = try begin(client, loop) else {
        Issue.record("no note was answered")
        continue
      }
      #expect(
        message.contains(
          client === own ? "cannot record the use of a refresh token" : "a renewal was interrupted")
      )
    }
    server.stop()
  }

  @Test
  func `TOK-16 what one renewal cannot have used is no licence for what another may have`() throws {
    let bench = try ShareBench()
    let loop = bench.loop
    guard case .due(nil, _) = try begin(bench.client, loop) else {
      Issue.record("it is the first")
      return
    }
    // Its process goes on with what it has got and could not keep; then the endpoint surely gives nothing.
    _ = bench.say("hdel \(try key(bench)) owner until")
    guard case .due(_, let end) = try begin(bench.client, loop, unsaved: tokens(1)) else {
      Issue.record("what it has got was not used")
      return
    }
    _ = self.end(end, .none(isCertain: true), loop)
    let other = try client(bench.server.url, loop)
    guard case .refused(let message) = try begin(other, loop) else {
      Issue.record("the first refresh token would be used twice")
      return
    }
    #expect(message.contains("a renewal was interrupted"))
    // Nor if nobody knows what became of the second.
    guard case .due = try begin(bench.client, loop, unsaved: tokens(1)) else {
      Issue.record("what it has got was not used")
      return
    }
    _ = bench.say("hdel \(try key(bench)) owner until")
    guard case .refused = try begin(other, loop) else {
      Issue.record("the first refresh token would be used twice")
      return
    }
  }

  @Test(arguments: ["36000000000", "inf", "1e300"])
  func `TOK-17 a lease that would last longer than any does is cut short`(ahead: String) throws {
    let bench = try ShareBench()
    guard case .due = try begin(bench.client, bench.loop) else { return }
    let key = try key(bench)
    let now = (Int(bench.say("time").first ?? "") ?? 0) * 1_000_000
    let until = Int(ahead).map { "\(now + $0)" } ?? ahead
    _ = bench.say("hset \(key) owner somebody until \(until)")
    for _ in 0..<2 {
      let value = try #require(bench.run(OAuth2TokenScript(key: key).begin))
      guard case .busy(let seconds)? = OAuth2TokenScript.answer(value) else {
        Issue.record("\(value)")
        return
      }
      #expect(seconds > 5 && seconds <= 10)
    }
    _ = bench.say("hset \(key) owner somebody until nobody")
    let value = try #require(bench.run(OAuth2TokenScript(key: key).begin))
    guard case .leased? = OAuth2TokenScript.answer(value) else {
      Issue.record("what is no time is over: \(value)")
      return
    }
  }

  @Test func `TOK-18 a server that has lost tokens lets no refresh token be used twice`() throws {
    let bench = try ShareBench()
    let folder = try #require(CacheFolderFixture())
    let own = try client(bench.server.url, bench.loop, path: folder.path)
    let first = try #require(try renew(own, bench.loop, 1))
    _ = bench.say("copy \(try key(bench)) before")
    #expect(try renew(own, bench.loop, 2)?.renewals == 2)
    // Another process of the machine, and one of another that has seen them.
    let elsewhere = try client(bench.server.url, bench.loop)
    #expect(try renew(elsewhere, bench.loop, 3) != nil)
    let next = try client(bench.server.url, bench.loop, path: folder.path)
    _ = bench.say("copy before \(try key(bench)) replace")
    for client in [elsewhere, next] {
      guard case .refused(let message) = try begin(client, bench.loop) else {
        Issue.record("\(first.refresh ?? "") would be used twice")
        continue
      }
      #expect(message.contains("has lost the tokens"))
      #expect(message.contains("set a new refresh_token"))
    }
    _ = bench.say("flushall")
    for client in [own, elsewhere, next] {
      guard case .refused(let message) = try begin(client, bench.loop) else {
        Issue.record("the first refresh token would be used twice")
        continue
      }
      #expect(message.contains("has lost the tokens"))
    }
    // Whoever logs in anew begins anew.
    let grant = OAuth2.Settings.Grant.refresh(SecretText(Secret(.literal("other"))))
    guard case .due(nil, _) = try begin(next, bench.loop, grant: grant) else {
      Issue.record("another refresh token is another matter")
      return
    }
  }

  @Test func `TOK-19 a refresh token is not used before a replica knows of it`() throws {
    let bench = try ShareBench()
    let replica = try #require(
      RedisServer("--replicaof 127.0.0.1 \(bench.server.port) --repl-diskless-sync-delay 0"))
    bench.loop.turn {
      bench.say("info replication").contains { $0.contains("state=online") }
    }
    let process = try #require(replica.processID)
    kill(process, SIGSTOP)
    guard case .refused(let message) = try begin(bench.client, bench.loop) else {
      Issue.record("the replica knows nothing")
      return
    }
    #expect(message.contains("no replica of the shared server has recorded the use"))
    kill(process, SIGCONT)
    bench.waitUntilUsable()
    guard case .due = try begin(bench.client, bench.loop, comeback: 60) else {
      Issue.record("it knows")
      return
    }
    #expect(replica.say("--raw hkeys \(try key(bench))").contains("begun"))
  }

  @Test func `TOK-15 something else in the place of tokens is a matter of theirs`() throws {
    let bench = try ShareBench()
    guard case .due = try begin(bench.client, bench.loop) else { return }
    let key = try key(bench)
    _ = bench.say("del \(key)")
    _ = bench.say("set \(key) x")
    guard case .refused = try begin(bench.client, bench.loop) else {
      Issue.record("nothing could be noted")
      return
    }
    #expect(bench.client.isUsable(bench.tag))
    #expect(bench.warnings.count == 1)
    #expect(bench.warnings.first?.contains("WRONGTYPE") == true)
    guard case .refused = try begin(bench.client, bench.loop) else { return }
    #expect(try bench.isGranted(bench.asker(1, per: 60)))
    #expect(bench.warnings.count == 1)
  }

  @Test
  func `TOK-20 who waits for a lease too long asks alone only for what is good more than once`()
    throws
  {
    let bench = try ShareBench()
    for grant in [nil, OAuth2.Settings.Grant.clientCredentials] {
      guard case .due = try begin(bench.client, bench.loop, grant: grant) else {
        Issue.record("nobody has it")
        return
      }
      // The first one keeps its lease.
      let other = try client(bench.server.url, bench.loop)
      let step = try begin(other, bench.loop, grant: grant, patience: 0.3)
      switch (grant, step) {
      case (nil, .refused(let message)): #expect(message == "another host is renewing the token")
      case (.clientCredentials?, .due(nil, let end)):
        #expect(self.end(end, .got(tokens(1)), bench.loop) == nil)
      default: Issue.record("\(step)")
      }
    }
    #expect(bench.say("--raw keys '*:token:*'").count == 2)
  }

  @Test(arguments: [true, false])
  func `TOK-13 a server that is late when tokens are asked for is done without`(rotates: Bool)
    throws
  {
    let bench = try ShareBench(isPatient: false)
    #expect(try bench.isGranted(bench.asker(10, per: 60)))
    let grant = rotates ? nil : OAuth2.Settings.Grant.clientCredentials
    let step = try begin(
      bench.client, bench.loop, grant: grant,
      before: {
        _ = bench.say("client pause 900")
      })
    switch step {
    case .refused(let message) where rotates:
      #expect(message.contains("the shared server cannot be used"))
    case .due(nil, let end) where !rotates:
      #expect(self.end(end, .got(tokens(1)), bench.loop) == nil)
    default: Issue.record("\(step)")
    }
    bench.waitUntilUsable()
    guard case .due(nil, _) = try begin(bench.client, bench.loop, grant: grant) else {
      Issue.record("the lease is given back, and nothing was noted")
      return
    }
  }

  @Test func `TOK-05 what a late server could not keep is its process's, which goes on with it`()
    throws
  {
    let bench = try ShareBench(isPatient: false)
    guard case .due(nil, let end) = try begin(bench.client, bench.loop) else { return }
    _ = bench.say("client pause 60000 write")
    let first = tokens(1)
    let problem = self.end(end, .got(first), bench.loop)
    #expect(problem?.contains("only this process has them") == true)
    // It is saved yet, or is not: whoever comes takes the newer one, or none.
    _ = bench.say("client unpause")
    bench.waitUntilUsable()
    let other = try client(bench.server.url, bench.loop)
    switch try begin(other, bench.loop) {
    case .due(let known, _): #expect(known?.refresh == first.refresh)
    case .refused(let message): #expect(message.contains("a renewal was interrupted"))
    case .done(let tokens): Issue.record("\(tokens)")
    }
  }

  @Test func `TOK-21 a server that is late is asked again where nothing else will do`() throws {
    let bench = try ShareBench(isPatient: false)
    #expect(try bench.isGranted(bench.asker(10, per: 60)))
    let step = try begin(
      bench.client, bench.loop, comeback: 60, before: { _ = bench.say("client pause 900") })
    guard case .due(nil, let end) = step else {
      Issue.record("\(step)")
      return
    }
    _ = bench.say("client pause 900 write")
    let first = tokens(1)
    #expect(self.end(end, .got(first), bench.loop) == nil)
    guard case .due(let known, _) = try begin(client(bench.server.url, bench.loop), bench.loop)
    else {
      Issue.record("they were kept")
      return
    }
    #expect(known?.refresh == first.refresh)
  }
}
