import LullCore
import LullLibC
import LullSystem
import LullTestSupport
import LullTesting
import Testing

@testable import LullTransport

/// Servers that are slow, gone, full, or none.
@Suite(.timeLimit(.minutes(20)))
struct ShareLinkTests {
  /// A client of what is no server of Debian's.
  private func ask(_ url: String, _ body: (EventLoop, ShareClient) -> Void) throws
    -> [String]
  {
    final class Warnings { var list: [String] = [] }
    let warnings = Warnings()
    let loop = try EventLoop()
    let client = ShareClient(
      try ShareSettings(Share(url: url)), loop.pump, limitsPath: nil
    ) { warnings.list.append($0) }
    loop.pump.add(client)
    body(loop, client)
    loop.close()
    return warnings.list
  }

  private func isAnswered(_ loop: EventLoop, _ client: ShareClient) -> Bool {
    var outcome: ShareLink.Outcome?
    client.run(
      LimitAsker(RateLimit(requests: 1, per: 1), LimitKey(name: "a"), tag: "{t}", host: "h").leave()
    ) { outcome = $0 }
    loop.turn { outcome != nil }
    if case .reply? = outcome { return true }
    return false
  }

  @Test func `SHR-20 nobody waits for a server that is not there, and one line says so`() throws {
    let warnings = try ask("unix:///nowhere/redis.sock") { loop, client in
      let start = SystemClock.uptime
      #expect(!isAnswered(loop, client))
      #expect(!client.isUsable("t"))
      for _ in 0..<100 { #expect(!isAnswered(loop, client)) }
      #expect(SystemClock.uptime - start < 5)
      // It is tried again, without another word.
      let end = SystemClock.uptime + 0.7
      while SystemClock.uptime < end {
        let tick = loop.schedule(after: 0.02) {}
        loop.turn()
        tick.cancel()
      }
    }
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("unix:///nowhere/redis.sock") == true)
  }

  @Test
  func `SHR-27 all wait for the same connection, and nobody when it has taken too long`() throws {
    let silent = try #require(
      RawServer { connection in while connection.readSome(1000) > 0 {} })
    _ = try ask("redis://127.0.0.1:\(silent.port)") { loop, client in
      let call = LimitAsker(
        RateLimit(requests: 1, per: 1), LimitKey(name: "a"), tag: "{t}", host: "h"
      ).leave()
      var answers = 0
      client.run(call) { _ in
        answers += 1
        // Asked for inside the call: there is none.
        for _ in 0..<100 { client.run(call) { _ in answers += 1 } }
        #expect(answers == 101)
        #expect(!client.isUsable("{t}"))
      }
      loop.turn { answers > 0 }
      #expect(answers == 101)
    }
    silent.stop()
  }

  @Test func `SHR-28 what was answered is let go of, also if there is always something to answer`()
    throws
  {
    let server = try #require(
      RawServer { connection in
        var asked = 0
        var answered = 0
        // All but the last one, which is answered with the next.
        while let bytes = connection.readBytes(65536) {
          asked += bytes.count { $0 == UInt8(ascii: "*") }
          let isGreeting = answered < 2
          let due = isGreeting ? asked : asked - 1
          if due > answered {
            guard connection.write(String(repeating: ":1\r\n", count: due - answered)) else {
              return
            }
            answered = due
          }
        }
      })
    let loop = try EventLoop()
    defer { loop.close() }
    let settings = try ShareSettings(Share(url: "redis://127.0.0.1:\(server.port)"))
    let link = ShareLink(
      settings.address.place, pump: loop.pump, authorities: settings.authorities,
      patience: ShareLink.Patience(operation: 60)
    ) { $0(.success([ShareLink.Greeting(command: RESPCommand("PING"))])) }
    defer { link.close() }
    var count = 0
    func askNext() {
      link.run(RESPCommand("PING")) { _ in
        count += 1
        if count < 5000 { askNext() }
      }
    }
    askNext()
    askNext()
    var most = 0
    loop.turn {
      most = max(most, link.pendingPlaceCount)
      return count >= 5000
    }
    #expect(most <= 100, "two are under way")
    server.stop()
  }

  @Test func `SHR-21 a wrong password is told, and not shown`() throws {
    let bench = try ShareBench("--requirepass geheim")
    for (url, word) in [
      (bench.server.url.replacing("unix://", with: "unix://:falsch@"), "WRONGPASS"),
      (bench.server.url, "NOAUTH"),
    ] {
      let warnings = try ask(url) { loop, client in #expect(!isAnswered(loop, client)) }
      #expect(warnings.count == 1)
      #expect(warnings.first?.contains(word) == true, "\(warnings)")
      #expect(warnings.first?.contains("falsch") == false)
    }
    let right = bench.server.url.replacing("unix://", with: "unix://default:geheim@")
    var isRight = false
    let warnings = try ask(right + "?db=3") { isRight = isAnswered($0, $1) }
    #expect(isRight)
    #expect(warnings == [])
  }

  @Test func `SHR-22 a server that is late is not waited for, and used again when it answers`()
    throws
  {
    let bench = try ShareBench(isPatient: false)
    let asker = bench.asker(100, per: 60)
    #expect(try bench.isGranted(asker))
    _ = bench.say("client pause 900")
    let start = SystemClock.uptime
    #expect(bench.run(asker.ask(bench.client.makeNumber())) == nil)
    #expect(SystemClock.uptime - start < 0.9)
    #expect(!bench.client.isUsable(bench.tag))
    bench.waitUntilUsable()
    #expect(try bench.isGranted(asker))
    _ = bench.say("client pause 2500")
    #expect(bench.run(asker.ask(bench.client.makeNumber())) == nil)
    bench.waitUntilUsable()
    #expect(try bench.isGranted(asker))
  }

  @Test func `SHR-23 a server that was gone is used again`() throws {
    let bench = try ShareBench()
    let asker = bench.asker(100, per: 60)
    #expect(try bench.isGranted(asker))
    bench.server.stop()
    #expect(bench.run(asker.ask(1)) == nil)
    #expect(!bench.client.isUsable(bench.tag))
    #expect(bench.server.start())
    bench.waitUntilUsable()
    #expect(try bench.isGranted(asker))
    bench.loop.turn { bench.warnings.count == 1 }
  }

  @Test func `SHR-24 whatever answers in its place does no harm`() throws {
    let folder = try #require(CacheFolderFixture())
    let random = (0..<5000).map { _ in UInt8.random(in: 0...255) }
    let answers: [[UInt8]] = [
      random, Array("HTTP/1.1 200 OK\r\n\r\n".utf8),
      Array("+OK\r\n+PONG\r\n:1\r\n:2\r\n:3\r\n".utf8),
      Array("+OK\r\n*1\r\n$-1\r\n".utf8), Array("$999999999999\r\n".utf8), [],
      Array("+OK\r\n+PONG\r\n*3\r\n:0\r\n:-1\r\n:1\r\n".utf8),
    ]
    for answer in answers {
      let server = try #require(
        RawServer { connection in
          connection.readSome(1000)
          connection.write(answer)
          connection.readSome(1000)
        })
      let warnings = try ask("redis://127.0.0.1:\(server.port)") { loop, client in
        for _ in 0..<20 {
          var isDone = false
          let machine = MachineLimits(loop.pump, path: folder.path)
          let limits = ServerAdmissionLog(
            RateLimit(requests: 100, per: 1), LimitKey(name: "a"), client, loop.pump,
            machine: machine)
          limits.ask { _ in isDone = true }
          loop.turn { isDone }
        }
      }
      #expect(warnings.count <= 1)
    }
  }

  @Test func `SHR-25 a script that the server has forgotten is sent again`() throws {
    let bench = try ShareBench()
    let asker = bench.asker(100, per: 60)
    #expect(try bench.isGranted(asker))
    _ = bench.say("script flush")
    #expect(try bench.isGranted(asker))
    #expect(bench.warnings == [])
  }

  @Test
  func `SHR-26 a master that becomes a replica, and a full server, are not used until they can be`()
    throws
  {
    let bench = try ShareBench()
    let asker = bench.asker(100, per: 60)
    #expect(try bench.isGranted(asker))
    _ = bench.say("replicaof 127.0.0.1 1")
    #expect(bench.run(asker.ask(1)) == nil)
    #expect(!bench.client.isUsable(bench.tag))
    _ = bench.say("replicaof no one")
    bench.loop.turn { bench.client.isUsable(bench.tag) && bench.run(asker.ask(2)) != nil }
    _ = bench.say("config set maxmemory 1")
    #expect(bench.run(asker.ask(3)) == nil)
    _ = bench.say("config set maxmemory 0")
    bench.loop.turn { bench.client.isUsable(bench.tag) && bench.run(asker.ask(4)) != nil }
    #expect(bench.warnings.count == 1)
  }

  @Test(.enabled(if: RedisServer.hasTLS))
  func `SHR-47 what a server takes slowly arrives whole by TLS`() throws {
    let nginx = try #require(NginxServer.shared)
    let port = try #require(RawSocket.freePorts(1).first)
    let server = try #require(
      RedisServer(
        "--tls-port \(port) --tls-cert-file \(nginx.certificate("good.pem")) "
          + "--tls-key-file \(nginx.certificate("good.key")) --tls-auth-clients no"))
    let loop = try EventLoop()
    defer { loop.close() }
    let settings = try ShareSettings(
      Share(url: "rediss://localhost:\(port)", certificateAuthorities: nginx.authority))
    let link = ShareLink(
      settings.address.place, pump: loop.pump, authorities: settings.authorities,
      patience: ShareLink.Patience(operation: 60, first: 60)
    ) { $0(.success([ShareLink.Greeting(command: RESPCommand("PING"))])) }
    defer { link.close() }
    var answers: [ShareLink.Outcome] = []
    link.run(RESPCommand("PING")) { answers.append($0) }
    loop.turn { !answers.isEmpty }
    let process = try #require(server.processID)
    kill(process, SIGSTOP)
    for number in 0..<60 {
      link.run(
        RESPCommand("SET", "k\(number)", String(repeating: "\(number % 10)", count: 100_000))
      ) {
        answers.append($0)
      }
      if number % 10 == 0 { loop.turn(.noWait) }
    }
    kill(process, SIGCONT)
    loop.turn { answers.count == 61 }
    for answer in answers.dropFirst() {
      guard case .reply(.status("OK")) = answer else {
        Issue.record("\(answer): \(link.trouble ?? "")")
        break
      }
    }
    for number in [0, 31, 59] { #expect(server.say("strlen k\(number)") == ["100000"]) }
  }
}
