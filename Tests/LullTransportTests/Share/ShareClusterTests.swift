import LullCore
import LullTesting
import Synchronization
import Testing

@testable import LullTransport

/// Clusters whose nodes go, or move what they have.
@Suite(.timeLimit(.minutes(10)))
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
    loop.pump.add(client)
    return client
  }

  private func asker(_ client: ShareClient, _ name: String) -> LimitAsker {
    LimitAsker(
      RateLimit(requests: 1000, per: 60), LimitKey(name: name),
      tag: client.tag(of: LimitKey(name: name)))
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

  @Test(arguments: ["-ASK 3999 127.0.0.1:1\r\n", "-TRYAGAIN Multiple keys request\r\n"])
  func `SHR-49 what a cluster is moving is done without, and the rest goes on`(answer: String)
    throws
  {
    defer { loop.close() }
    let client = Mutex("")
    let server = try #require(
      PlainShareServer { words in
        let tag = client.withLock { $0 }
        return words.contains { !tag.isEmpty && $0.hasPrefix(tag) } ? answer : "*1\r\n:1\r\n"
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
