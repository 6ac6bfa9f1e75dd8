import LullCore
import LullTesting
import Synchronization
import Testing

@testable import LullTransport

/// Clusters whose nodes go, or move what they have.
@Suite(.timeLimit(.minutes(20)))
struct ShareClusterTests {
  private final class Warnings {
    var list: [String] = []
  }

  private let loop: EventLoop
  private let warnings = Warnings()

  init() throws {
    loop = try EventLoop()
  }

  private func client(_ url: String) throws -> ShareClient {
    let client = ShareClient(
      try ShareSettings(Share(url: url)), loop.pump, limitsPath: nil
    ) { [warnings] in warnings.list.append($0) }
    client.patience = ShareBench.patience
    loop.pump.add(client)
    return client
  }

  private func asker(_ client: ShareClient, _ name: String) -> LimitAsker {
    LimitAsker(
      RateLimit(requests: 1000, per: 60), LimitKey(name: name),
      tag: client.tag(of: LimitKey(name: name)), host: "h")
  }

  private func isAnswered(_ client: ShareClient, _ call: ScriptCall) -> Bool {
    var outcome: ShareLink.Outcome?
    client.run(call) { outcome = $0 }
    loop.turn { outcome != nil }
    if case .reply? = outcome { return true }
    return false
  }

  @Test
  func
    `SHR-48 of a cluster whose named node is gone the others are asked, and who takes its place`()
    throws
  {
    defer { loop.close() }
    let cluster = try #require(RedisCluster(hasReplica: true))
    let client = try client(cluster.url)
    let names = (0..<24).map { "\($0)" }
    // Which of them the first node has.
    for name in names.prefix(8) { #expect(isAnswered(client, asker(client, name).ask(-1))) }
    cluster.nodes[0].stop()
    loop.turn { !isAnswered(client, asker(client, names[8]).leave()) || !warnings.list.isEmpty }
    // What nobody has asked for yet.
    var answered = 0
    for name in names[8...] where isAnswered(client, asker(client, name).ask(-1)) { answered += 1 }
    #expect(answered > 0, "the second node has some, and is there")
    #expect(answered < 16)
    let replica = try #require(cluster.replica)
    #expect(replica.say("cluster failover takeover") == ["OK"])
    for name in names {
      loop.turn { isAnswered(client, asker(client, name).ask(-2)) }
    }
    #expect(warnings.list.count == 1)
    #expect(replica.say("dbsize") != ["0"])
  }

  @Test
  func `SHR-49 what is on its way is asked for where it is, and everything else where it was`()
    throws
  {
    defer { loop.close() }
    let isMoving = Mutex(true)
    let second = try #require(
      PlainShareServer { words in
        if words.contains("withdraw") { return "*2\r\n:1\r\n:1\r\n" }
        return words.first == "EVALSHA" ? "-NOSCRIPT none\r\n" : "*2\r\n:1\r\n:1\r\n"
      })
    let place = "127.0.0.1:\(second.port)"
    let first = try #require(
      PlainShareServer { words in
        let isLimit = words.contains { $0.contains(":limit:") }
        return isLimit && isMoving.withLock { $0 } ? "-ASK 1 \(place)\r\n" : "*2\r\n:1\r\n:1\r\n"
      })
    let client = try client("redis://127.0.0.1:\(first.port)")
    let asker = asker(client, "a")
    #expect(isAnswered(client, asker.ask(-1)))
    #expect(isAnswered(client, asker.ask(-2)))
    client.post(asker.withdraw([-1]))
    loop.turn { second.commands.contains { $0.contains("withdraw") } }
    isMoving.withLock { $0 = false }
    #expect(isAnswered(client, asker.ask(-3)))
    let asked = second.commands.filter { ["ASKING", "EVALSHA", "EVAL"].contains($0.first) }
    #expect(
      asked.map { $0.first } == [
        "ASKING", "EVALSHA", "ASKING", "EVAL", "ASKING", "EVALSHA", "ASKING", "EVAL", "ASKING",
        "EVAL",
      ], "each has an ASKING of its own, directly before it")
    let still = first.commands.filter { $0.contains("ask") }
    #expect(still.count == 3, "where it goes on to be asked first")
    #expect(warnings.list == [])
    first.stop()
    second.stop()
  }

  @Test func `SHR-49 one that is sent back, or where nothing is, is done without`() throws {
    defer { loop.close() }
    let back = Mutex("")
    let second = try #require(
      PlainShareServer { words in
        let isLimit = words.contains { $0.contains(":limit:") }
        return isLimit ? back.withLock { $0 } : "+OK\r\n"
      })
    let first = try #require(
      PlainShareServer { words in
        let isLimit = words.contains { $0.contains(":limit:") }
        return isLimit ? "-ASK 1 127.0.0.1:\(second.port)\r\n" : "*2\r\n:1\r\n:1\r\n"
      })
    for place in ["MOVED 1 127.0.0.1:\(first.port)", "ASK 1 127.0.0.1:\(first.port)"] {
      back.withLock { $0 = "-\(place)\r\n" }
      let client = try client("redis://127.0.0.1:\(first.port)")
      let asker = asker(client, "a")
      #expect(!isAnswered(client, asker.ask(-1)))
      #expect(client.isUsable(asker.tag))
      #expect(second.commands.filter { $0.contains("ask") }.count == 1)
      second.forget()
    }
    #expect(warnings.list == [])
    first.stop()
    second.stop()
  }

  /// The admissions that the server counts, sent or not, on whichever node they are now.
  private func count(_ cluster: RedisCluster, _ tag: String) -> Int {
    cluster.nodes.flatMap { node in
      ["log", "held"].map { key in
        node.say("zcount '\(tag):\(key)' '(-inf' +inf").first.flatMap { Int($0) } ?? 0
      }
    }.reduce(0, +)
  }

  @Test func `SHR-55 a limit goes on counting while its slot is moving from node to node`() throws {
    defer { loop.close() }
    let cluster = try #require(RedisCluster())
    let client = try client(cluster.url)
    // One that the first node has.
    let limit = RateLimit(requests: 5, per: 60)
    let key = try #require(
      (0..<64).map { LimitKey(name: "\($0)") }.first { key in
        let slot = cluster.nodes[0].say("cluster keyslot '\(client.tag(of: key))'").first
        return slot.flatMap { Int($0) }.map { $0 < 8192 } ?? false
      })
    let tag = client.tag(of: key)
    let asker = LimitAsker(limit, key, tag: tag, host: "h")
    let slot = try #require(cluster.nodes[0].say("cluster keyslot '\(tag)'").first)
    let ids = cluster.nodes.compactMap { $0.say("cluster myid").first }
    try #require(ids.count == 2)
    func isGranted(_ number: Int64) -> Bool? {
      var outcome: ShareLink.Outcome?
      client.run(asker.ask(number)) { outcome = $0 }
      loop.turn { outcome != nil }
      guard case .reply(let value)? = outcome, let answer = asker.answer(value, to: number) else {
        return nil
      }
      return answer == .granted(Admission(number: number))
    }
    #expect(isGranted(-1) == true)
    #expect(cluster.nodes[1].say("cluster setslot \(slot) importing \(ids[0])") == ["OK"])
    #expect(cluster.nodes[0].say("cluster setslot \(slot) migrating \(ids[1])") == ["OK"])
    #expect(isGranted(-2) == true, "it is where it was, every key of it")
    let port = cluster.nodes[1].port
    func migrate(_ names: [String]) -> [String] {
      let keys = names.map { "'\(tag):\($0)'" }.joined(separator: " ")
      return cluster.nodes[0].say("migrate 127.0.0.1 \(port) '' 0 5000 keys \(keys)")
    }
    #expect(migrate(["log", "meta"]) == ["OK"])
    #expect(isGranted(-3) == nil, "some of it is here and some there")
    #expect(client.isUsable(tag))
    #expect(migrate(["held", "rules", "line", "due", "hosts"]) == ["OK"])
    #expect(isGranted(-4) == true, "it is where it is going")
    #expect(isGranted(-5) == true)
    client.post(asker.withdraw([-5]))
    for node in cluster.nodes.reversed() {
      #expect(node.say("cluster setslot \(slot) node \(ids[1])") == ["OK"])
    }
    #expect(isGranted(-6) == true)
    #expect(isGranted(-7) == true)
    #expect(isGranted(-8) == false, "all five are used")
    #expect(count(cluster, tag) == 5)
    #expect(warnings.list == [])
  }

  @Test func `SHR-49 what has some keys here and some there is done without, and the rest goes on`()
    throws
  {
    let answer = "-TRYAGAIN Multiple keys request\r\n"
    defer { loop.close() }
    let client = Mutex("")
    let server = try #require(
      PlainShareServer { words in
        let tag = client.withLock { $0 }
        return words.contains { !tag.isEmpty && $0.hasPrefix(tag) } ? answer : "*2\r\n:1\r\n:1\r\n"
      })
    let own = try self.client(server.url)
    let (moving, other) = (asker(own, "moving"), asker(own, "other"))
    client.withLock { $0 = moving.tag }
    #expect(isAnswered(own, other.ask(-1)))
    #expect(!isAnswered(own, moving.ask(-1)))
    #expect(own.isUsable(moving.tag))
    #expect(isAnswered(own, other.ask(-2)))
    client.withLock { $0 = "" }
    #expect(isAnswered(own, moving.ask(-2)))
    #expect(warnings.list == [])
    server.stop()
  }

  @Test func `SHR-38 SHR-25 what is said without waiting for an answer is moved, and sent whole`()
    throws
  {
    defer { loop.close() }
    let second = try #require(
      PlainShareServer { $0.first == "EVALSHA" ? "-NOSCRIPT none\r\n" : ":1\r\n" })
    let place = "127.0.0.1:\(second.port)"
    let first = try #require(
      PlainShareServer { words in
        // The hosts, and what begins.
        words.contains("withdraw") ? "-MOVED 1 \(place)\r\n" : ":1\r\n"
      })
    let client = try client("redis://127.0.0.1:\(first.port)")
    let asker = asker(client, "a")
    #expect(isAnswered(client, asker.leave()))
    // The connection to the other one is made by what is asked next.
    loop.turn {
      client.post(asker.withdraw([1]))
      _ = isAnswered(client, asker.leave())
      return second.commands.contains { $0.first == "EVAL" && $0.contains("withdraw") }
    }
    first.stop()
    second.stop()
  }
}
