import LullCore
import LullLibC
import LullSystem
import LullTestSupport
import Testing

@testable import LullTransport

/// Hearing what others say by way of a server, which may go, refuse, or be none.
@Suite(.timeLimit(.minutes(20)))
struct ShareChannelTests {
  private let channel = "lull:{lull}:news"
  private let digest = "0123456789abcdef0123456789abcdef"

  /// What one says who is not this home.
  private func said(_ number: Int) -> String { "1 b w \(number) \(digest)" }

  private func publish(_ bench: ShareBench, _ number: Int = 1) {
    _ = bench.say("publish '\(channel)' '\(said(number))'")
  }

  private func waitUntilOpen(_ bench: ShareBench) {
    bench.loop.turn { bench.client.updates.channelState == .open }
  }

  @Test func `NEWS-21 the channel is opened when somebody listens, and hears what others say`()
    throws
  {
    let bench = try ShareBench()
    #expect(bench.run(bench.asker(1, per: 1).leave()) != nil)
    #expect(bench.say("pubsub numsub '\(channel)'").last == "0")
    var heard = 0
    _ = bench.client.updates.onNext(digest) { heard += 1 }
    let forgotten = bench.client.updates.onNext(digest) { heard += 100 }
    bench.client.updates.forget(forgotten, of: digest)
    waitUntilOpen(bench)
    #expect(bench.say("pubsub numsub '\(channel)'").last == "1")
    publish(bench)
    publish(bench)
    bench.loop.turn { bench.client.updates.count == 2 }
    bench.loop.turn { heard > 0 }
    #expect(heard == 1, "once")
    #expect(bench.warnings == [])
  }

  @Test func `NEWS-22 a home does not hear what it says itself, and others do`() throws {
    let bench = try ShareBench()
    let client = ShareClient(
      try ShareSettings(Share(url: bench.server.url)), bench.loop.pump, limitsPath: nil
    ) { _ in }
    bench.loop.pump.add(client)
    for client in [bench.client, client] {
      _ = client.updates.onNext(digest) {}
      var isReady = false
      client.run(bench.asker(1, per: 1).leave(), on: .entities) { _ in isReady = true }
      bench.loop.turn { isReady && client.updates.channelState == .open }
    }
    for number in 1...3 {
      let message = try #require(
        bench.client.updates.message(digest, timestamp: Double(number), isRefresh: false))
      bench.client.publish(message, tag: "")
    }
    bench.loop.turn { client.updates.count == 3 }
    publish(bench)
    bench.loop.turn { bench.client.updates.count == 1 && client.updates.count == 4 }
  }

  @Test func `NEWS-23 lost, the channel is opened again, without a word`() throws {
    let bench = try ShareBench()
    var heard = 0
    func listen() { _ = bench.client.updates.onNext(digest) { heard += 1 } }
    listen()
    waitUntilOpen(bench)
    for round in 1...3 {
      if round == 3 {
        bench.server.stop()
        bench.loop.turn { bench.client.updates.channelState == .down }
        #expect(bench.server.start())
      } else {
        _ = bench.say("client kill type pubsub")
      }
      bench.loop.turn { bench.client.updates.openCount == round + 1 }
      publish(bench)
      bench.loop.turn { heard == round }
      listen()
    }
    _ = bench.say("client pause 300")
    publish(bench)
    bench.loop.turn { heard == 4 }
    #expect(bench.client.updates.openCount == 4, "a pause is no loss")
    #expect(bench.warnings == [])
  }

  @Test func `NEWS-24 a user who may not have the channel is told so once, and shares the rest`()
    throws
  {
    let bench = try ShareBench()
    _ = bench.say("acl setuser default resetchannels")
    _ = bench.client.updates.onNext(digest) {}
    bench.loop.turn { bench.client.updates.channelState == .refused }
    bench.loop.turn { bench.warnings.count == 1 }
    #expect(bench.warnings.first?.contains(channel) == true, "\(bench.warnings)")
    var isReady = false
    bench.client.run(bench.asker(1, per: 1).leave(), on: .entities) { _ in isReady = true }
    bench.loop.turn { isReady }
    let message = try #require(
      bench.client.updates.message(digest, timestamp: 1, isRefresh: false))
    bench.client.publish(message, tag: "")
    bench.loop.turn {
      bench.client.updates.message(digest, timestamp: 1, isRefresh: false) == nil
    }
    #expect(bench.client.isUsable(bench.tag, on: .entities))
    #expect(bench.run(bench.asker(1, per: 1).leave()) != nil)
    #expect(bench.warnings.count == 1)
  }

  @Test func `NEWS-41 what the server refuses to publish once is no reason not to tell others`()
    throws
  {
    let bench = try ShareBench()
    let news = bench.client.updates
    func mayTell() -> Bool { news.message(digest, timestamp: 1, isRefresh: false) != nil }
    for words in ["BUSY a script runs", "OOM command not allowed", "LOADING", "ERR something else"]
    {
      news.published(.reply(.failure(words)))
      #expect(mayTell(), "\(words)")
    }
    #expect(bench.warnings == [])
    news.published(.reply(.failure("ERR unknown command 'PUBLISH'")))
    #expect(!mayTell())
    #expect(bench.warnings.count == 1)
  }

  @Test(.enabled(if: RedisServer.hasTLS))
  func `NEWS-25 the channel is greeted as the other connections are`() throws {
    let nginx = try #require(NginxServer.shared)
    let port = try #require(RawSocket.freePorts(1).first)
    let server = try #require(
      RedisServer(
        "--requirepass geheim --tls-port \(port) --tls-cert-file \(nginx.certificate("good.pem")) "
          + "--tls-key-file \(nginx.certificate("good.key")) --tls-auth-clients no"))
    for (url, isRight) in [
      ("unix://:geheim@\(server.socket)?db=3", true),
      ("redis://default:geheim@127.0.0.1:\(server.port)/2", true),
      ("rediss://:geheim@localhost:\(port)", true), (server.url, false),
      (server.url.replacing("unix://", with: "unix://:falsch@"), false),
    ] {
      let loop = try EventLoop()
      defer { loop.close() }
      let client = ShareClient(
        try ShareSettings(Share(url: url, certificateAuthorities: nginx.authority)), loop.pump,
        limitsPath: nil
      ) { _ in }
      loop.pump.add(client)
      _ = client.updates.onNext(digest) {}
      loop.turn { client.updates.channelState == (isRight ? .open : .down) }
    }
    withExtendedLifetime(server) {}
  }

  @Test func `NEWS-26 in a cluster everything said to one node is heard at the others`() throws {
    let buses = RawSocket.freePorts(2)
    try #require(buses.count == 2)
    let servers = try buses.map {
      try #require(RedisServer("--cluster-enabled yes --cluster-port \($0)"))
    }
    func say(_ server: RedisServer, _ line: String) -> String {
      let file = server.socket + ".said"
      ChildProcess("redis-cli -s \(server.socket) \(line) >\(file) 2>&1")?.wait()
      return String(decoding: contents(file) ?? [], as: UTF8.self)
    }
    _ = say(servers[0], "cluster addslotsrange 0 8191")
    _ = say(servers[1], "cluster addslotsrange 8192 16383")
    _ = say(servers[0], "cluster meet 127.0.0.1 \(servers[1].port) \(buses[1])")
    for server in servers {
      for _ in 0..<600 where !say(server, "cluster info").contains("cluster_state:ok") {
        usleep(50_000)
      }
    }
    let loop = try EventLoop()
    defer { loop.close() }
    let client = ShareClient(
      try ShareSettings(Share(url: servers[0].url)), loop.pump, limitsPath: nil
    ) { _ in }
    loop.pump.add(client)
    _ = client.updates.onNext(digest) {}
    loop.turn { client.updates.channelState == .open }
    for (number, server) in servers.enumerated() {
      _ = say(server, "publish '\(channel)' '\(said(number))'")
      loop.turn { client.updates.count == number + 1 }
    }
  }

  @Test func `NEWS-27 whatever a server sends in place of news does no harm`() throws {
    let greeting = "+OK\r\n+PONG\r\n*3\r\n$9\r\nsubscribe\r\n$16\r\n\(channel)\r\n:1\r\n"
    let random = (0..<5000).map { _ in UInt8.random(in: 0...255) }
    let megabyte = [UInt8](repeating: 65, count: 1 << 20)
    let cases: [(name: String, answer: [UInt8], endless: [UInt8])] = [
      ("noise", random, []), ("no greeting", Array("HTTP/1.1 200 OK\r\n\r\n".utf8), []),
      ("nothing", [], []), ("noise after it", Array(greeting.utf8) + random, []),
      ("another channel", Array(greeting.replacing("lull:", with: "null:").utf8), []),
      ("an endless text", Array((greeting + "$999999999999\r\n").utf8), megabyte),
      ("one of a gigabyte", Array((greeting + "*3\r\n$1000000000\r\n").utf8), megabyte),
      ("a wide array", Array((greeting + "*1000000\r\n").utf8), []),
      (
        "a deep array", Array((greeting + String(repeating: "*1\r\n", count: 10_000)).utf8), []
      ),
      ("numbers", Array((greeting + ":1\r\n:2\r\n").utf8), []),
      ("no payload", Array((greeting + "*2\r\n$7\r\nmessage\r\n$-1\r\n").utf8), []),
      ("an error", Array((greeting + "-ERR \u{1b}[2J\r\n").utf8), []),
      ("an end", Array((greeting + "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n").utf8), []),
      (
        "a number as payload",
        Array((greeting + "*3\r\n$7\r\nmessage\r\n$16\r\n\(channel)\r\n:1\r\n").utf8), []
      ),
    ]
    for entry in cases {
      let server = try #require(
        RawServer { connection in
          connection.readSome(1000)
          guard connection.write(entry.answer), !entry.endless.isEmpty else { return }
          // Until it is hung up on.
          for _ in 0..<1000 where !connection.write(entry.endless) { return }
        })
      let loop = try EventLoop()
      let client = ShareClient(
        try ShareSettings(Share(url: "redis://127.0.0.1:\(server.port)")), loop.pump,
        limitsPath: nil
      ) { _ in }
      loop.pump.add(client)
      _ = client.updates.onNext(digest) {}
      loop.turn { client.updates.channelState == .down }
      #expect(client.updates.count == 0, "\(entry.name)")
      // And once more.
      loop.turn { server.connectionCount >= 2 && client.updates.channelState == .down }
      loop.close()
      server.stop()
    }
    // What makes sense, and more of it than anybody can use.
    let total = 300_000
    let text = "1 b w 1 \(digest)"
    let message =
      "*3\r\n$7\r\nmessage\r\n$16\r\n\(channel)\r\n$\(text.utf8.count)\r\n\(text)\r\n"
    let flood = try #require(
      RawServer { connection in
        connection.readSome(1000)
        connection.write(greeting)
        let thousand = String(repeating: message, count: 1000)
        for _ in 0..<total / 1000 { connection.write(thousand) }
        connection.readSome(1000)
      })
    let loop = try EventLoop()
    defer { loop.close() }
    let client = ShareClient(
      try ShareSettings(Share(url: "redis://127.0.0.1:\(flood.port)")), loop.pump, limitsPath: nil
    ) { _ in }
    loop.pump.add(client)
    _ = client.updates.onNext(digest) {}
    var most = 0
    loop.turn {
      most = max(most, client.updates.waitingCount)
      return client.updates.count == total
    }
    #expect(most == 0, "nobody follows")
    flood.stop()
  }

  @Test func `NEWS-28 a server that has fallen silent is asked whether it is there`() throws {
    let bench = try ShareBench()
    let patience = ShareChannel.Patience(preparing: 1, quiet: 0.1, answer: 0.2)
    func makeChannel(_ url: String, _ tell: @escaping ([UInt8]) -> Void) throws -> ShareChannel {
      let settings = try ShareSettings(Share(url: url))
      return ShareChannel(
        channel, pump: bench.loop.pump, authorities: settings.authorities, patience: patience,
        place: { _ in settings.address.place }, greet: { $0(.success([])) }, tell: tell)
    }
    var heard = 0
    let living = try makeChannel(bench.server.url) { _ in heard += 1 }
    defer { living.close() }
    living.open()
    bench.loop.turn { living.state == .open }
    let silent = try #require(
      RawServer { connection in
        connection.readSome(1000)
        connection.write("*3\r\n$9\r\nsubscribe\r\n$16\r\n\(channel)\r\n:1\r\n")
        while connection.readSome(1000) > 0 {}
      })
    let dead = try makeChannel("redis://127.0.0.1:\(silent.port)") { _ in }
    defer { dead.close() }
    dead.open()
    bench.loop.turn { dead.openCount > 0 && dead.state == .down }
    #expect(dead.trouble == "it does not respond")
    #expect(living.openCount == 1)
    publish(bench)
    bench.loop.turn { heard == 1 }
    silent.stop()
  }
}
