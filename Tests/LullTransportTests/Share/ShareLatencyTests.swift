import LullCore
import LullLibC
import LullTesting
import Testing

@testable import LullTransport

/// Servers whose answers take long, but come.
@Suite(.timeLimit(.minutes(20)))
struct ShareLatencyTests {
  private func patience(_ latency: ShareLatency, now: Double) -> Double {
    latency.patience(from: 0.05, to: 1, now: now)
  }

  @Test func `SHR-22 a server is waited for three times as long as its answers take`() {
    var latency = ShareLatency()
    #expect(patience(latency, now: 0) == 0.05)
    latency.note(0.001, isLate: false, now: 1)
    #expect(patience(latency, now: 1) == 0.05, "never shorter")
    // It becomes slow, and is known to be after some of its answers.
    for _ in 0..<8 { latency.note(0.001, isLate: false, now: 1) }
    var answers = 0
    while patience(latency, now: 2) < 0.06, answers < 100 {
      latency.note(0.06, isLate: true, now: 2)
      answers += 1
    }
    #expect(answers == 5)
    #expect(abs(patience(latency, now: 2) - 0.18) < 1e-9)
    // One pause, of the server or of this loop, makes no difference.
    latency.note(20, isLate: true, now: 3)
    #expect(abs(patience(latency, now: 3) - 0.18) < 1e-9)
    for _ in 0..<9 { latency.note(20, isLate: true, now: 3) }
    #expect(patience(latency, now: 3) == 1, "never longer")
  }

  @Test func `SHR-22 after a minute without an answer nothing is known of a server`() {
    var latency = ShareLatency()
    for _ in 0..<9 { latency.note(0.2, isLate: false, now: 10) }
    #expect(patience(latency, now: 70) > 0.5)
    #expect(patience(latency, now: 70.1) == 0.05)
    #expect(latency.typical(now: 70.1) == nil)
    latency.note(0.001, isLate: false, now: 71)
    #expect(patience(latency, now: 71) == 0.05, "by its answers since")
  }

  @Test func `SHR-98 most answers are late when more than half of the last ones are`() {
    var latency = ShareLatency()
    for _ in 0..<4 { latency.note(2, isLate: true, now: 0) }
    #expect(!latency.areMostLate, "that may be one pause")
    latency.note(2, isLate: true, now: 0)
    #expect(latency.areMostLate)
    for _ in 0..<5 { latency.note(0.01, isLate: false, now: 0) }
    #expect(!latency.areMostLate)
    for _ in 0..<100 { latency.note(0.01, isLate: false, now: 0) }
    for _ in 0..<8 { latency.note(2, isLate: true, now: 0) }
    #expect(!latency.areMostLate)
    latency.note(2, isLate: true, now: 0)
    #expect(latency.areMostLate)
  }

  private final class Warnings { var list: [String] = [] }

  private func client(
    _ url: String, _ loop: EventLoop, _ change: @escaping (inout ShareLink.Patience) -> Void
  ) throws -> (client: ShareClient, warnings: Warnings) {
    let warnings = Warnings()
    let client = ShareClient(
      try ShareSettings(Share(url: url)), loop.pump, limitsPath: nil
    ) { warnings.list.append($0) }
    client.patience = { lane in
      var patience = lane.patience
      change(&patience)
      return patience
    }
    loop.pump.add(client)
    return (client, warnings)
  }

  @Test func `SHR-22 a server far away is shared by`() throws {
    let redis = try #require(RedisServer())
    // Five times what an operation takes at most of a server that is not known.
    let far = try #require(RawServer.distance(to: redis.port, seconds: 0.25))
    let folder = try #require(CacheFolderFixture())
    let loop = try EventLoop()
    defer { loop.close() }
    let (client, warnings) = try client("redis://127.0.0.1:\(far.port)", loop) {
      $0.first = 20
      $0.connecting = 20
    }
    let key = LimitKey(name: "a")
    let log = ServerAdmissionLog(
      RateLimit(requests: 100, per: 60), key, client, loop.pump,
      machine: MachineLimits(loop.pump, path: folder.path))
    // On a loaded machine one or the other may come too late.
    var granted = 0
    for _ in 0..<20 where granted < 4 {
      var answer: AdmissionAnswer?
      log.ask { answer = $0 }
      loop.turn { answer != nil }
      guard case .granted(let admission)? = answer else { continue }
      if admission.number < 0 { granted += 1 }
      _ = log.send(admission)
      loop.turn { client.isUsable(client.tag(of: key)) }
    }
    #expect(granted == 4, "by leave of the server")
    #expect(warnings.list == [])
    far.stop()
  }

  @Test func `SHR-98 a server most of whose answers come too late is warned of once`() throws {
    let server = try #require(
      PlainShareServer { _ in
        usleep(150_000)
        return "*2\r\n:1\r\n:1\r\n"
      })
    let loop = try EventLoop()
    defer { loop.close() }
    let (client, warnings) = try client(server.url, loop) {
      $0.longest = 0.06
      $0.first = 20
      $0.late = 20
    }
    let asker = LimitAsker(
      RateLimit(requests: 9, per: 60), LimitKey(name: "a"), tag: "{t}", host: "h")
    loop.turn {
      var isDone = false
      client.run(asker.ask(client.makeNumber())) { _ in isDone = true }
      loop.turn { isDone }
      return !warnings.list.isEmpty
    }
    for _ in 0..<3 {
      loop.turn { client.isUsable("{t}") }
      client.run(asker.ask(client.makeNumber())) { _ in }
    }
    loop.turn { client.isUsable("{t}") }
    #expect(warnings.list.count == 1)
    let text = try #require(warnings.list.first)
    #expect(text.hasPrefix("the shared server \(server.url) is too slow: most responses take "))
    #expect(text.contains(" ms, but the timeout is 60 ms; after a timeout, "), "\(text)")
    server.stop()
  }

  @Test(arguments: [(0.15, true), (1.5, false)])
  func `SHR-41 a slow server is reported, with how long it is waited for`(
    delay: Double, isUsable: Bool
  ) throws {
    let redis = try #require(RedisServer())
    let far = try #require(RawServer.distance(to: redis.port, seconds: delay))
    let inspection = try ShareInspection(Share(url: "redis://127.0.0.1:\(far.port)"))
    let report = try inspection.report()
    let latency = try #require(report.latency)
    #expect(latency >= delay)
    let patience = try #require(report.patience)
    #expect(patience == 1 || isUsable && patience >= delay * 3)
    #expect((report.trouble == nil) == isUsable, "\(report.trouble ?? "")")
    if !isUsable {
      #expect(report.trouble?.contains("ms, but the timeout is 1000 ms") == true)
    }
    let near = try ShareInspection(Share(url: redis.url)).report()
    #expect(near.trouble == nil)
    far.stop()
  }
}
