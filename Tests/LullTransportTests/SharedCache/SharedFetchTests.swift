import LullCore
import LullLibC
import LullSystem
import LullTesting
import Testing

@testable import LullTransport

/// Hosts that need the same entity at once.
@Suite(.timeLimit(.minutes(20)))
struct SharedFetchTests {
  private let server: RedisServer

  init() throws {
    server = try #require(RedisServer())
  }

  private func hosts(
    _ count: Int, expirationTime: ExpirationTime = 30,
    _ change: (inout SharedEntityCache.Options) -> Void = { _ in }
  ) throws -> [SharedCacheHost] {
    try (0..<count).map { _ in
      let host = try SharedCacheHost(server.url, change)
      host.service.configure { $0.expirationTime = expirationTime }
      host.provider.holdsAnswers = true
      return host
    }
  }

  private func turn(
    _ hosts: [SharedCacheHost], until condition: () -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    hosts.turn(until: condition, sourceLocation: sourceLocation)
  }

  private func count(_ hosts: [SharedCacheHost]) -> Int { hosts.requestCount }

  private func turn(_ hosts: [SharedCacheHost], seconds: Double) { hosts.turn(seconds: seconds) }

  private func start(_ hosts: [SharedCacheHost], _ path: String = "/a") -> [Request] {
    hosts.compactMap { $0.service.resource(path).loadIfNeeded() }
  }

  private func texts(_ hosts: [SharedCacheHost], _ path: String = "/a") -> Set<String?> {
    Set(hosts.map { SharedCacheHost.text($0.service.resource(path).latestData) })
  }

  private func recorder(_ host: SharedCacheHost) -> EventRecorder {
    let recorder = EventRecorder()
    host.service.resource("/a").addObserver(recorder)
    return recorder
  }

  private func names(_ recorder: EventRecorder) -> [String] {
    recorder.events.map { String($0.prefix { $0 != " " }) }
  }

  private func release(_ hosts: [SharedCacheHost]) {
    for host in hosts where host.provider.heldCount > 0 { host.provider.release() }
  }

  @Test func `SCA-20 one of eight hosts asks, and all have the answer`() throws {
    let hosts = try hosts(8)
    for host in hosts { host.stub("/a", .text("one")) }
    let recorders = hosts.map { recorder($0) }
    let requests = start(hosts)
    turn(hosts) { count(hosts) > 0 }
    turn(hosts, seconds: 0.3)
    #expect(count(hosts) == 1)
    release(hosts)
    turn(hosts) { requests.allSatisfy(\.isCompleted) }
    #expect(count(hosts) == 1)
    #expect(texts(hosts) == ["one"])
    #expect(requests.allSatisfy { $0.response?.isNew == true })
    turn(hosts, seconds: 0.05)
    for (host, recorder) in zip(hosts, recorders) {
      let source = host.provider.requests.isEmpty ? "cache" : "network"
      #expect(names(recorder).suffix(2) == ["requested", "newData(\(source))"])
    }
    #expect(server.say("--raw keys 'lull:*:f:*'").filter { !$0.isEmpty } == [])
    #expect(start(hosts).isEmpty, "it is fresh")
  }

  @Test func `SCA-20 stale entities are asked for once, on their condition`() throws {
    let hosts = try hosts(4, expirationTime: 0.6)
    for host in hosts {
      host.stub("/a", .json("1", etag: "\"v1\""), .init(status: 304))
    }
    _ = start([hosts[0]])
    turn(hosts) { count(hosts) == 1 }
    release(hosts)
    turn(hosts) { hosts[0].service.resource("/a").latestData != nil }
    hosts[0].settle()
    usleep(700_000)
    // One has it, the others find it on the server.
    for host in hosts.dropFirst() { host.stub("/a", .init(status: 304)) }
    let requests = start(hosts)
    #expect(requests.count == 4)
    turn(hosts) { count(hosts) == 2 }
    turn(hosts, seconds: 0.2)
    #expect(texts(hosts) == ["1"], "the stale one is there meanwhile")
    release(hosts)
    turn(hosts) { requests.allSatisfy(\.isCompleted) }
    #expect(count(hosts) == 2)
    #expect(requests.allSatisfy { $0.response?.isSuccess == true })
    let conditions = hosts.flatMap(\.provider.requests).map { $0.headers["if-none-match"] }
    #expect(conditions.filter { $0 == "\"v1\"" }.count == 1)
    turn(hosts, seconds: 0.05)
    let times = hosts.compactMap { $0.service.resource("/a").latestData?.timestamp }
    #expect(times.allSatisfy { abs($0 - (times.max() ?? 0)) < 0.5 })
  }

  @Test func `SCA-21 who wants to load loads, and others wait for that`() throws {
    let hosts = try hosts(3)
    for host in hosts { host.stub("/a", .text("one")) }
    let first = hosts[0].service.resource("/a").load()
    let second = hosts[1].service.resource("/a").load()
    turn(hosts) { count(hosts) == 2 }
    turn(hosts, seconds: 0.1)
    let third = start([hosts[2]])
    turn(hosts, seconds: 0.3)
    #expect(count(hosts) == 2)
    release(hosts)
    turn(hosts) { first.isCompleted && second.isCompleted && third[0].isCompleted }
    #expect(count(hosts) == 2)
    #expect(texts(hosts) == ["one"])
    // Of what was invalidated nobody else's answer will do.
    hosts[0].settle()
    hosts[1].service.resource("/a").invalidate()
    let again = start([hosts[1]])
    turn(hosts) { count(hosts) == 3 }
    release(hosts)
    turn(hosts) { again.allSatisfy(\.isCompleted) }
  }

  @Test func `SCA-23 what ends before the server has answered leaves no lease`() throws {
    let hosts = try hosts(1)
    hosts[0].stub("/a", .text("one"))
    for number in 0..<20 {
      let request = hosts[0].service.resource("/\(number)").load()
      if number % 2 == 0 { hosts[0].loop.turn(.noWait) }
      request.cancel()
    }
    hosts[0].settle()
    turn(hosts, seconds: 0.2)
    #expect(server.say("--raw keys 'lull:*:f:*'").filter { !$0.isEmpty } == [])
  }

  @Test
  func `SCA-22 what is newer on the server will do if it is fresh, else it is asked for anew`()
    throws
  {
    let hosts = try hosts(2, expirationTime: 0.6)
    let (first, second) = (hosts[0], hosts[1])
    for host in hosts { host.provider.holdsAnswers = false }
    second.loaded("/a", .json("1", etag: "\"v1\""))
    usleep(700_000)
    first.loaded("/a", .json("2", etag: "\"v2\""))
    // Its own is stale.
    #expect(second.content("/a") == "2")
    #expect(second.provider.requests.count == 1)
    first.loaded("/a", .json("3", etag: "\"v3\""))
    usleep(700_000)
    let recorder = recorder(second)
    second.stub("/a", .init(status: 304))
    #expect(second.content("/a") == "3")
    #expect(second.provider.requests.last?.headers["if-none-match"] == "\"v3\"")
    #expect(names(recorder).suffix(3) == ["requested", "newData(cache)", "notModified"])
  }

  @Test func `SCA-23 SCA-26 who is cancelled lets the next one ask`() throws {
    let hosts = try hosts(4)
    for host in hosts { host.stub("/a", .text("one")) }
    let requests = start(hosts)
    turn(hosts) { count(hosts) == 1 }
    turn(hosts, seconds: 0.1)
    let holder = try #require(hosts.firstIndex { !$0.provider.requests.isEmpty })
    let waiting = try #require(hosts.indices.first { $0 != holder })
    requests[waiting].cancel()
    #expect(requests[waiting].isCompleted)
    turn(hosts, seconds: 0.3)
    #expect(count(hosts) == 1)
    requests[holder].cancel()
    turn(hosts) { count(hosts) == 2 }
    turn(hosts, seconds: 0.3)
    #expect(count(hosts) == 2)
    for host in hosts where host !== hosts[holder] { release([host]) }
    turn(hosts) { requests.allSatisfy(\.isCompleted) }
    let others = hosts.indices.filter { $0 != holder && $0 != waiting }.map { hosts[$0] }
    #expect(texts(others) == ["one"])
    #expect(count(hosts) == 2)
    #expect(texts([hosts[holder], hosts[waiting]]) == [nil])
  }

  @Test(arguments: ["failure", "no-store", "too large"])
  func `SCA-24 what fails or is not kept is asked for by each`(way: String) throws {
    let hosts = try hosts(4) { $0.maxSize = 1 << 20 }
    for host in hosts {
      switch way {
      case "failure": host.stub("/a", .init(status: 500))
      case "no-store": host.stub("/a", .init(headers: [("Cache-Control", "no-store")], body: "x"))
      default: host.stub("/a", .text(String(repeating: "x", count: 100_000)))
      }
    }
    let requests = start(hosts)
    turn(hosts) { count(hosts) == 1 }
    turn(hosts, seconds: 0.1)
    release(hosts)
    turn(hosts) { count(hosts) == 4 }
    release(hosts)
    turn(hosts) { requests.allSatisfy(\.isCompleted) }
    #expect(requests.allSatisfy { $0.response?.isSuccess == (way != "failure") })
    guard way != "failure" else { return }
    turn(hosts, seconds: 0.05)
    for host in hosts { host.service.resource("/a").wipe() }
    // Known to be of no use to others.
    _ = start(hosts)
    turn(hosts) { count(hosts) == 8 }
  }

  @Test func `SCA-25 when the server is lost everybody asks`() throws {
    let hosts = try hosts(3)
    for host in hosts { host.stub("/a", .text("one")) }
    let requests = start(hosts)
    turn(hosts) { count(hosts) == 1 }
    turn(hosts, seconds: 0.1)
    #expect(count(hosts) == 1)
    server.stop()
    turn(hosts) { count(hosts) == 3 }
    release(hosts)
    turn(hosts) { requests.allSatisfy(\.isCompleted) }
    #expect(texts(hosts) == ["one"])
  }

  @Test func `SCA-23 who says nothing any more is waited for no longer than its lease`() throws {
    let hosts = try hosts(3)
    for host in hosts { host.stub("/a", .text("one")) }
    _ = start([hosts[0]])
    turn(hosts) { count(hosts) == 1 }
    // Its loop stands still from now on.
    let others = Array(hosts.dropFirst())
    let began = SystemClock.uptime
    let requests = start(others)
    turn(others) { count(others) == 1 }
    #expect(SystemClock.uptime - began > 1)
    turn(others, seconds: 0.3)
    #expect(count(others) == 1)
    release(others)
    turn(others) { requests.allSatisfy(\.isCompleted) }
    #expect(texts(others) == ["one"])
    #expect(count(others) == 1)
  }

  @Test func `SCA-23 a lease is prolonged while its process lives`() throws {
    let hosts = try hosts(2)
    for host in hosts { host.stub("/a", .text("one")) }
    let requests = start(hosts)
    turn(hosts) { count(hosts) == 1 }
    turn(hosts, seconds: FetchLeaseScript.lease * 1.6)
    #expect(count(hosts) == 1)
    release(hosts)
    turn(hosts) { requests.allSatisfy(\.isCompleted) }
    #expect(count(hosts) == 1)
  }

  @Test func `SCA-20 what a later stage makes of another's answer is what the resource has`() throws
  {
    let hosts = try hosts(2)
    for host in hosts {
      host.stub("/a", .text("one"))
      host.service.configure {
        $0.pipeline[.model].add(
          FunctionTransformer(description: "twice") { response in
            guard var entity = response.entity, case .text(let text) = entity.content else {
              return response
            }
            entity.content = .text(text + text)
            return .success(entity, isNew: response.isNew)
          })
      }
    }
    let requests = start(hosts)
    turn(hosts) { count(hosts) == 1 }
    turn(hosts, seconds: 0.1)
    release(hosts)
    turn(hosts) { requests.allSatisfy(\.isCompleted) }
    turn(hosts, seconds: 0.05)
    #expect(texts(hosts) == ["oneone"])
    #expect(count(hosts) == 1)
  }

  @Test func `SCA-26 a wipe while it waits leaves nothing behind`() throws {
    let hosts = try hosts(2)
    for host in hosts { host.stub("/a", .text("one")) }
    _ = start([hosts[0]])
    turn(hosts) { count(hosts) == 1 }
    let waiting = start([hosts[1]])
    turn(hosts, seconds: 0.1)
    hosts[1].service.resource("/a").wipe()
    turn(hosts) { waiting[0].isCompleted }
    #expect(waiting[0].response?.isCancellation == true)
    release(hosts)
    turn(hosts, seconds: 0.3)
    #expect(texts([hosts[1]]) == [nil])
    #expect(hosts[1].provider.requests.isEmpty)
  }
}
