import LullCore
import LullLibC
import LullSystem
import LullTestSupport
import Synchronization
import Testing

@testable import LullTransport

/// What becomes of limits when the server is lost, and found again.
@Suite(.timeLimit(.minutes(20)))
struct ShareLossTests {
  @Test
  func `SHR-33 without the server each host has its part, all together no more than the limit`() {
    for (requests, hosts) in [(100, 1), (100, 3), (100, 100), (3, 8), (1, 8), (7, 2)] {
      let limit = RateLimit(requests: requests, per: 10, learns: true)
      let part = limit.part(of: hosts)
      let rate = Double(part.requests) / part.per * Double(hosts)
      #expect(rate <= Double(requests) / 10 + 1e-9, "\(requests) of \(hosts)")
      #expect(part.requests >= 1)
      #expect(part.learns)
    }
    #expect(RateLimit(requests: 9, per: 1).part(of: 2).requests == 4)
    #expect(RateLimit(requests: 9, per: 1).part(of: 1) == RateLimit(requests: 9, per: 1))
  }

  @Test func `SHR-34 a machine remembers how many hosts there were, and what it is known by`()
    throws
  {
    let folder = try #require(CacheFolderFixture())
    let first = ShareMemory(of: "a", beside: folder.path)
    #expect(first.hosts == nil)
    first.remember(hosts: 3)
    first.remember(hosts: -1)
    first.remember(hosts: Int.max)
    let second = ShareMemory(of: "a", beside: folder.path)
    #expect(second.hosts == 3)
    #expect(second.host == first.host)
    let other = ShareMemory(of: "b", beside: folder.path)
    #expect(other.hosts == nil)
    #expect(other.host == first.host, "the machine is the same")
    #expect(ShareMemory(of: "a", beside: nil).hosts == nil)
    #expect(ShareMemory(of: "a", beside: "/dev/null/none/limits.db").hosts == nil)
    for damage in ["", "x", "99999999999\n", "-1", "0", "2 3", "\u{e9}"] {
      for name in folder.files where !name.hasSuffix("-lock") {
        let file = try #require(fopen(folder.path + name, "w"))
        fputs(damage, file)
        fclose(file)
      }
      let damaged = ShareMemory(of: "a", beside: folder.path)
      #expect(damaged.hosts == nil, "\(damage)")
      #expect(damaged.host.utf8.count == 16, "\(damage)")
    }
  }

  @Test func `SHR-54 a server that counts hosts anew does not raise anybody's part`() throws {
    let folder = try #require(CacheFolderFixture())
    let memory = ShareMemory(of: "a", beside: folder.path)
    memory.remember(hosts: 8)
    memory.remember(hosts: 1)
    #expect(memory.hosts == 8)
    let next = ShareMemory(of: "a", beside: folder.path)
    next.remember(hosts: 2)
    next.remember(hosts: 9)
    #expect(next.hosts == 9)
    let path = try #require(next.path)
    // As an hourly job finds it, and as if it had been so for more than two hours.
    for (age, expected) in [(3700, 9), (7300, 2)] {
      let then = timeval(tv_sec: time(nil) - age, tv_usec: 0)
      var times = [then, then]
      #expect(utimes(path, &times) == 0)
      let later = ShareMemory(of: "a", beside: folder.path)
      #expect(later.hosts == 9)
      later.remember(hosts: 2)
      #expect(later.hosts == expected)
      #expect(ShareMemory(of: "a", beside: folder.path).hosts == expected)
    }
  }

  @Test func `SHR-35 what was sent lately is what counts still`() {
    var recent = RecentAdmissions(per: 10)
    for number in 1...1000 { recent.append(Int64(-number), now: Double(number) / 10) }
    let current = recent.current(now: 100)
    #expect(current.map(\.number) == (901...1000).map { Int64(-$0) })
    recent.remove(-950)
    #expect(recent.current(now: 100).count == 99)
    #expect(recent.current(now: 200) == [])
  }

  /// A process as it asks, on a bench of its own.
  private func grants(
    _ log: ServerAdmissionLog, _ loop: EventLoop, most: Int
  ) -> [Admission] {
    var granted: [Admission] = []
    var isOpen = true
    while isOpen, granted.count < most {
      var answer: AdmissionAnswer?
      log.ask { answer = $0 }
      loop.turn { answer != nil }
      if case .granted(let admission)? = answer {
        granted.append(log.send(admission))
      } else {
        isOpen = false
      }
    }
    log.stopAsking()
    return granted
  }

  @Test
  func
    `SHR-36 what one host has sent by leave of the server counts in its part, and on the server when that is back`()
    throws
  {
    let bench = try ShareBench()
    let folder = try #require(CacheFolderFixture())
    let machine = MachineLimits(bench.loop.pump, path: folder.path)
    let log = ServerAdmissionLog(
      RateLimit(requests: 10, per: 60), LimitKey(name: "a"), bench.client, bench.loop.pump,
      machine: machine)
    #expect(grants(log, bench.loop, most: 4).count == 4)
    bench.server.stop()
    bench.loop.turn { !bench.client.isUsable(bench.tag) }
    // One host, as the server has said: all of the limit is its part, of which four are used.
    #expect(grants(log, bench.loop, most: 3).count == 3)
    // It begins anew, with nothing in it.
    #expect(bench.server.start())
    bench.waitUntilUsable()
    #expect(grants(log, bench.loop, most: 100).count == 3, "all ten are used")
    #expect(bench.say("zcount '\(bench.tag):log' '(-inf' +inf") == ["10"])
  }

  @Test(arguments: [true, false])
  func `SHR-56 what is allowed too late is what was sent without the server, or is given back`(
    isSent: Bool
  ) throws {
    let bench = try ShareBench(isPatient: false)
    bench.client.patience = { lane in
      var patience = lane.patience
      patience.late = 20
      return patience
    }
    let folder = try #require(CacheFolderFixture())
    let machine = MachineLimits(bench.loop.pump, path: folder.path)
    func log() -> ServerAdmissionLog {
      ServerAdmissionLog(
        RateLimit(requests: 2, per: 60), LimitKey(name: "a"), bench.client, bench.loop.pump,
        machine: machine)
    }
    let first = log()
    #expect(grants(first, bench.loop, most: 1).count == 1)
    // Longer than it is waited for, and shorter than the connection lasts (below).
    #expect(bench.say("client pause 3000 all") == ["OK"])
    var answer: AdmissionAnswer?
    first.ask { answer = $0 }
    bench.loop.turn { answer != nil }
    guard case .granted(let admission)? = answer else {
      Issue.record("the machine has not decided by itself: \(String(describing: answer))")
      return
    }
    #expect(admission.number > 0, "by its own file")
    let sent = isSent ? first.send(admission) : nil
    if !isSent { first.withdraw(admission) }
    bench.waitUntilUsable()
    // Without a question that would tell of it.
    let expected = isSent ? "2" : "1"
    bench.loop.turn { bench.say("zcount '\(bench.tag):log' '(-inf' +inf") == [expected] }
    if let sent { #expect(bench.say("zscore '\(bench.tag):log' \(sent.number)") != []) }
    #expect(grants(log(), bench.loop, most: 5).count == (isSent ? 0 : 1), "two in all")
    first.stopAsking()
  }

  @Test
  func `SHR-56 what was allowed by an answer that got lost counts once, when the server is back`()
    throws
  {
    let folder = try #require(CacheFolderFixture())
    let loop = try EventLoop()
    defer { loop.close() }
    let isSilent = Mutex(false)
    let server = try #require(
      PlainShareServer { words in
        if words.contains("ask"), isSilent.withLock({ $0 }) { return nil }
        return words.contains("ask") ? "*2\r\n:1\r\n:1\r\n" : ":1\r\n"
      })
    let client = ShareClient(
      try ShareSettings(Share(url: server.url)), loop.pump, limitsPath: nil
    ) { _ in }
    loop.pump.add(client)
    let machine = MachineLimits(loop.pump, path: folder.path)
    let log = ServerAdmissionLog(
      RateLimit(requests: 9, per: 60), LimitKey(name: "a"), client, loop.pump, machine: machine)
    #expect(grants(log, loop, most: 1).count == 1)
    isSilent.withLock { $0 = true }
    let lost = try #require(grants(log, loop, most: 1).first)
    let asked = server.commands.last { $0.contains("ask") } ?? []
    let number = try #require(asked.first { $0.hasPrefix("-") })
    isSilent.withLock { $0 = false }
    loop.turn {
      _ = grants(log, loop, most: 1)
      return server.commands.contains { $0.contains("enter") && $0.contains("\(lost.number)") }
    }
    // Whatever it had been allowed is given back: it is another number that counts.
    #expect(number != "\(lost.number)")
    loop.turn { server.commands.contains { $0.contains("withdraw") && $0.contains(number) } }
    server.stop()
  }

  @Test func `SHR-101 a distant server is asked for several at once, which is given back unused`()
    throws
  {
    let folder = try #require(CacheFolderFixture())
    let loop = try EventLoop()
    defer { loop.close() }
    @Sendable func numbers(_ words: [String]) -> [Int64] {
      words.compactMap { Int64($0) }.filter { $0 < 0 }
    }
    let server = try #require(
      PlainShareServer { words in
        guard words.contains("ask") else { return ":1\r\n" }
        usleep(30_000)
        return "*2\r\n:\(numbers(words).count)\r\n:1\r\n"
      })
    let client = ShareClient(
      try ShareSettings(Share(url: server.url)), loop.pump, limitsPath: nil
    ) { _ in }
    client.patience = ShareBench.patience
    loop.pump.add(client)
    let log = ServerAdmissionLog(
      RateLimit(requests: 9, per: 60), LimitKey(name: "a"), client, loop.pump,
      machine: MachineLimits(loop.pump, path: folder.path))
    var sent: Set<Int64> = []
    func ask() {
      var answer: AdmissionAnswer?
      log.ask { answer = $0 }
      loop.turn { answer != nil }
      if case .granted(let admission)? = answer { sent.insert(log.send(admission).number) }
    }
    for _ in 0..<4 { ask() }
    let asked = server.commands.filter { $0.contains("ask") }.map(numbers)
    #expect(asked.map(\.count) == [1, 2, 4])
    #expect(sent.count == 4 && sent.isSubset(of: asked.joined()))
    log.stopAsking()
    let unused = Set(asked.joined()).subtracting(sent)
    loop.turn { server.commands.contains { $0.contains("withdraw") && Set(numbers($0)) == unused } }
    ask()
    #expect(server.commands.last { $0.contains("ask") }.map(numbers)?.count == 1)
    server.stop()
  }

  @Test func `SHR-101 a server grants several only where there is room and nobody else waits`()
    throws
  {
    let bench = try ShareBench()
    let (one, other) = (bench.asker(5, per: 60), bench.asker(5, per: 60))
    func granted(_ asker: LimitAsker, _ numbers: [Int64]) throws -> Int {
      let value = try #require(bench.run(asker.ask(numbers[0], more: Array(numbers.dropFirst()))))
      let answer = asker.answer(value, to: numbers[0], more: numbers.count - 1)
      #expect(answer != nil)
      return asker.grantedCount(value)
    }
    #expect(try granted(one, [-1, -2, -3]) == 3)
    #expect(try granted(one, [-4, -5, -6, -7]) == 2, "five in all")
    #expect(try granted(other, [-8]) == 0)
    _ = bench.run(one.withdraw([-1, -2]))
    #expect(try granted(one, [-9, -10]) == 1, "the other one waits")
    #expect(try granted(other, [-8]) == 1)
  }

  @Test func `SHR-37 hosts are counted, and each has its part when the server goes`() throws {
    let server = try #require(RedisServer())
    let folders = try (0..<3).map { _ in try #require(CacheFolderFixture()) }
    var counts: [Int] = []
    for round in 0..<2 {
      for folder in folders {
        let loop = try EventLoop()
        let client = ShareClient(
          try ShareSettings(Share(url: server.url)), loop.pump, limitsPath: folder.path
        ) { _ in }
        loop.pump.add(client)
        let log = ServerAdmissionLog(
          RateLimit(requests: 9, per: 60), LimitKey(name: "\(round)"), client, loop.pump,
          machine: MachineLimits(loop.pump, path: folder.path))
        if round == 0 {
          #expect(grants(log, loop, most: 1).count == 1)
          loop.turn {
            client.part(of: RateLimit(requests: 1000, per: 1)).requests <= 1000 / (counts.count + 1)
          }
          counts.append(client.part(of: RateLimit(requests: 600, per: 1)).requests)
        } else {
          counts.append(grants(log, loop, most: 100).count)
        }
        loop.close()
      }
      if round == 0 { server.stop() }
    }
    #expect(counts == [600, 300, 200, 9, 4, 3], "each as it has heard last")
  }

  @Test func `SHR-38 a cluster says where a limit is`() throws {
    let named = ShareAddress.Place.host("a", port: 1, isTLS: true)
    #expect(
      ClusterRedirection("MOVED 3999 127.0.0.1:6381", from: named)
        == .moved(.host("127.0.0.1", port: 6381, isTLS: true)))
    #expect(
      ClusterRedirection("ASK 3999 :6381", from: named)
        == .asked(.host("a", port: 6381, isTLS: true)))
    #expect(ClusterRedirection("TRYAGAIN Multiple keys", from: named) == .divided)
    for words in [
      "MOVED", "MOVED 1 x", "MOVED 1 a:0", "MOVED 1 a:99999", "ERR a:1 b:2 c", "MOVED 1 a:b:1 2",
      "ASK 1 a:0", "ASKED 1 a:1", "",
    ] {
      #expect(ClusterRedirection(words, from: named) == nil, "\(words)")
    }
    let cluster = try #require(RedisCluster())
    final class Warnings { var list: [String] = [] }
    let warnings = Warnings()
    let loop = try EventLoop()
    defer { loop.close() }
    let client = ShareClient(
      try ShareSettings(Share(url: cluster.url)), loop.pump, limitsPath: nil
    ) { warnings.list.append($0) }
    loop.pump.add(client)
    for number in 0..<12 {
      let asker = LimitAsker(
        RateLimit(requests: 1, per: 60), LimitKey(name: "a"),
        tag: client.tag(of: LimitKey(name: "\(number)")), host: "h")
      var answers: [AdmissionAnswer?] = []
      for _ in 0..<2 {
        client.run(asker.ask(-1)) { outcome in
          if case .reply(let value) = outcome { answers.append(asker.answer(value, to: -1)) }
        }
      }
      loop.turn { answers.count == 2 }
      guard case .granted? = answers[0], case .opens? = answers[1] else {
        Issue.record("limit \(number) has the answers \(answers)")
        continue
      }
    }
    #expect(warnings.list == [])
    let keys = cluster.nodes.map { $0.say("dbsize").first ?? "" }
    #expect(!keys.contains("0"), "both have some: \(keys)")
  }

  @Test(.enabled(if: RedisServer.hasTLS))
  func `SHR-39 TLS is verified, by the certificates that are named`() throws {
    let nginx = try #require(NginxServer.shared)
    let port = try #require(RawSocket.freePorts(1).first)
    let server = try #require(
      RedisServer(
        "--tls-port \(port) --tls-cert-file \(nginx.certificate("good.pem")) "
          + "--tls-key-file \(nginx.certificate("good.key")) --tls-auth-clients no"))
    for (file, isTrusted) in [(nginx.authority, true), (nil, false)] {
      final class Warnings { var list: [String] = [] }
      let warnings = Warnings()
      let loop = try EventLoop()
      defer { loop.close() }
      let client = ShareClient(
        try ShareSettings(
          Share(url: "rediss://localhost:\(port)", certificateAuthorities: file)), loop.pump,
        limitsPath: nil
      ) { warnings.list.append($0) }
      loop.pump.add(client)
      var isAnswered: Bool?
      // Larger than a record of TLS.
      let asker = LimitAsker(
        RateLimit(requests: 1, per: 1), LimitKey(name: "a"),
        tag: client.tag(of: LimitKey(name: "a")), host: "h")
      client.run(asker.withdraw((0..<5000).map { Int64($0) })) { outcome in
        if case .reply = outcome { isAnswered = true } else { isAnswered = false }
      }
      loop.turn { isAnswered != nil }
      #expect(isAnswered == isTrusted)
      loop.turn { isTrusted || !warnings.list.isEmpty }
      #expect(warnings.list.isEmpty == isTrusted)
      if !isTrusted { #expect(warnings.list.first?.contains("certificate") == true) }
    }
    withExtendedLifetime(server) {}
  }
}
