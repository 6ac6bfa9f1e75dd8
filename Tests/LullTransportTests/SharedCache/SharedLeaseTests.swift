import LullCore
import LullLibC
import LullTesting
import Testing

@testable import LullTransport

/// What a lease is worth whose load waits, is decorated, or has no condition any more, and keys that are none.
@Suite(.timeLimit(.minutes(20)))
struct SharedLeaseTests {
  private let server: RedisServer

  init() throws {
    server = try #require(RedisServer())
  }

  private func hosts(_ count: Int, expirationTime: ExpirationTime = 30) throws
    -> [SharedCacheHost]
  {
    try (0..<count).map { _ in
      let host = try SharedCacheHost(server.url)
      host.service.configure { $0.expirationTime = expirationTime }
      host.provider.holdsAnswers = true
      return host
    }
  }

  private var leases: [String] { server.say("--raw keys 'lull:*:f:*'").filter { !$0.isEmpty } }

  private func start(_ host: SharedCacheHost, _ path: String = "/a") throws -> Request {
    try #require(host.service.resource(path).loadIfNeeded())
  }

  @Test func `SCA-25 others are waited for no longer than the timeout of the load`() throws {
    let hosts = try hosts(2)
    for host in hosts { host.stub("/a", .text("one")) }
    let first = try start(hosts[0])
    hosts.turn { hosts.requestCount == 1 }
    hosts[1].service.configure { $0.limits.timeout = 0.3 }
    let second = try start(hosts[1])
    hosts.turn { hosts.requestCount == 2 }
    #expect(!first.isCompleted, "it has the lease still")
    for host in hosts { host.provider.release() }
    hosts.turn { first.isCompleted && second.isCompleted }
    #expect(
      hosts.allSatisfy { SharedCacheHost.text($0.service.resource("/a").latestData) == "one" })
  }

  @Test func `SCA-30 whoever waits for a limit of its own is not waited for`() throws {
    let hosts = try hosts(2)
    for host in hosts {
      for path in ["/a", "/b"] { host.stub(path, .text(path)) }
    }
    hosts[0].service.configure { $0.concurrency = 1 }
    let other = hosts[0].service.resource("/b").load()
    hosts.turn { hosts.requestCount == 1 && leases.count == 1 }
    let otherLease = leases
    let first = try start(hosts[0])
    hosts.turn { leases.count == 2 }
    let lease = try #require(leases.first { !otherLease.contains($0) })
    #expect(hosts.requestCount == 1)
    // That of what waits in the line ends.
    hosts.turn { !leases.contains(lease) }
    #expect(leases == otherLease)
    // It is had again when the request is out.
    hosts[0].provider.release()
    hosts.turn { hosts.requestCount == 2 && other.isCompleted }
    hosts.turn { leases.contains(lease) }
    let second = try start(hosts[1])
    hosts.turn(seconds: 0.3)
    #expect(hosts[1].provider.requests.isEmpty)
    hosts[0].provider.release()
    hosts.turn { first.isCompleted && second.isCompleted }
    #expect(hosts[1].provider.requests.isEmpty)
  }

  @Test(arguments: ["a px 3600000", "a", "failed", "open", "open px 3600000"])
  func `SCA-31 a lease that ends later than any, or never, is none`(value: String) throws {
    let hosts = try hosts(2)
    for host in hosts { host.stub("/a", .text("one")) }
    let cancelled = try start(hosts[0])
    hosts.turn { hosts.requestCount == 1 }
    let key = try #require(leases.first)
    cancelled.cancel()
    hosts.turn { leases.isEmpty }
    _ = server.say("set '\(key)' \(value)")
    let requests = try hosts.map { try start($0) }
    hosts.turn { hosts.requestCount == 2 }
    hosts.turn(seconds: 0.3)
    #expect(hosts.requestCount == 2, "the other one waits for that")
    for host in hosts {
      while host.provider.heldCount > 0 { host.provider.release() }
    }
    hosts.turn { requests.allSatisfy(\.isCompleted) }
    #expect(hosts.requestCount == 2)
  }

  @Test func `SCA-32 decorated loads take turns, and end theirs when a 304 has been told`() throws {
    let hosts = try hosts(4, expirationTime: 0.6)
    for host in hosts {
      host.service.configure {
        $0.decorateRequests { (_, request) throws(RequestError) in
          request.chained { _ in .useThisResponse }
        }
      }
      host.stub("/a", .json("1", etag: "\"v1\""))
    }
    let first = try start(hosts[0])
    hosts.turn { hosts.requestCount == 1 }
    hosts[0].provider.release()
    hosts.turn { first.isCompleted }
    hosts[0].settle()
    usleep(700_000)
    for host in hosts { host.stub("/a", .init(status: 304)) }
    let requests = try hosts.map { try start($0) }
    hosts.turn { hosts.requestCount == 2 }
    hosts.turn(seconds: 0.2)
    for host in hosts where host.provider.heldCount > 0 { host.provider.release() }
    hosts.turn { requests.allSatisfy(\.isCompleted) }
    #expect(hosts.requestCount == 2)
    #expect(requests.allSatisfy { $0.response?.isSuccess == true })
    #expect(hosts.allSatisfy { SharedCacheHost.text($0.service.resource("/a").latestData) == "1" })
  }

  @Test func `SCA-33 what was put here while one waited is not asked for on the old condition`()
    throws
  {
    let hosts = try hosts(2, expirationTime: 0.3)
    for host in hosts { host.provider.holdsAnswers = false }
    hosts[1].loaded("/a", .json("1", etag: "\"v1\""))
    usleep(350_000)
    for host in hosts { host.provider.holdsAnswers = true }
    hosts[0].stub("/a", .json("2"))
    hosts[1].stub("/a", .json("3"))
    let first = hosts[0].service.resource("/a").load()
    hosts.turn { hosts[0].provider.heldCount == 1 }
    hosts.turn(seconds: 0.1)
    let second = try start(hosts[1])
    hosts.turn(seconds: 0.1)
    #expect(hosts[1].provider.requests.count == 1, "it waits")
    hosts[1].service.resource("/a").overrideLocalContent(with: .text("mine"))
    first.cancel()
    hosts.turn { hosts[1].provider.requests.count == 2 }
    #expect(hosts[1].provider.requests.last?.headers["if-none-match"] == nil)
    hosts[1].provider.release()
    hosts.turn { second.isCompleted }
  }

  @Test
  func `SCA-33 what another has brought without a validator is asked for without a condition`()
    throws
  {
    let hosts = try hosts(2, expirationTime: 0.3)
    for host in hosts { host.provider.holdsAnswers = false }
    hosts[1].loaded("/a", .json("1", etag: "\"v1\""))
    usleep(10_000)
    hosts[0].loaded("/a", .json("2"))
    usleep(350_000)
    hosts[1].stub("/a", .json("3"))
    #expect(hosts[1].content("/a") == "3")
    #expect(hosts[1].provider.requests.last?.headers["if-none-match"] == nil)
  }

  @Test func `SCA-34 what a server is owed keeps no home that has ended`() throws {
    var host: SharedCacheHost? = try SharedCacheHost(server.url)
    host?.loaded("/a", .text("1"))
    server.stop()
    weak let client = try host?.client
    host?.loop.turn { client?.isUsable("", on: .entities) == false }
    host?.service.resource("/a").overrideLocalContent(with: .text("mine"))
    host?.loop.turn(.noWait)
    let cache = host?.cache
    host = nil
    #expect(client == nil)
    withExtendedLifetime(cache) {}
  }

  @Test func `SCA-03 a server that accepts and says nothing is waited for once`() throws {
    let silent = try #require(
      RawServer { connection in while connection.readSome(1000) > 0 {} })
    defer { silent.stop() }
    let host = try SharedCacheHost("redis://127.0.0.1:\(silent.port)")
    for path in ["/a", "/b"] { host.stub(path, .text(path)) }
    let resources = ["/a", "/b"].map { host.service.resource($0) }
    let requests = resources.compactMap { $0.loadIfNeeded() }
    host.loop.turn { host.provider.requests.count == 2 }
    #expect(try !host.client.isUsable("", on: .entities), "nor is it for whatever comes next")
    host.loop.turn { requests.allSatisfy(\.isCompleted) }
    host.settle()
    #expect(resources.map { SharedCacheHost.text($0.latestData) } == ["/a", "/b"])
  }
}
