import LullCore
import LullTesting
import Testing

@testable import LullTransport

/// What a limit has learned, when its server is lost and found again.
@Suite(.timeLimit(.minutes(20)))
struct ShareLessonTests {
  private let bench: ShareBench
  private let folder: CacheFolderFixture

  init() throws {
    bench = try ShareBench()
    folder = try #require(CacheFolderFixture())
  }

  private func log(_ requests: Int = 1000, per: Double = 3600) -> ServerAdmissionLog {
    ServerAdmissionLog(
      RateLimit(requests: requests, per: per), LimitKey(name: "a"), bench.client, bench.loop.pump,
      machine: MachineLimits(bench.loop.pump, path: folder.path))
  }

  /// One that is sent; nil if it must wait.
  private func send(_ log: ServerAdmissionLog) -> Admission? {
    var answer: AdmissionAnswer?
    log.ask { answer = $0 }
    bench.loop.turn { answer != nil }
    guard case .granted(let admission)? = answer else {
      log.stopAsking()
      return nil
    }
    return log.send(admission)
  }

  private func lose() {
    bench.server.stop()
    bench.loop.turn { !bench.client.isUsable(bench.tag) }
  }

  private func find() {
    #expect(bench.server.start())
    bench.waitUntilUsable()
  }

  /// After all that was said before.
  private func learned(_ field: String) -> Int? {
    _ = bench.run(bench.asker(1, per: 1).leave())
    return bench.say("--raw hget '\(bench.tag):meta' \(field)").first.flatMap { Int($0) }
  }

  @Test func `SHR-44 an answer to what was let through without the server is about that`() throws {
    let log = log()
    #expect(send(log) != nil)
    lose()
    var last: Admission?
    for _ in 0..<40 { last = send(log) }
    find()
    log.learn(
      LimitLesson(budget: .init(left: 60, resetsAfter: 3600)), from: try #require(last))
    #expect(learned("left") == 60)
    #expect(bench.say("zcount '\(bench.tag):log' '(-inf' +inf") == ["41"])
    // One that is free is given back.
    log.learn(LimitLesson(isFree: true), from: try #require(last))
    #expect(learned("left") == 61)
    #expect(bench.say("zcount '\(bench.tag):log' '(-inf' +inf") == ["40"])
  }

  @Test func `SHR-45 what was learned from the server's requests holds when it is lost`() throws {
    let (log, other) = (log(), log())
    let first = try #require(send(log))
    #expect(send(other) != nil)
    log.learn(LimitLesson(budget: .init(left: 3, resetsAfter: 3600)), from: first)
    // It hears of that with its next admission.
    #expect(send(other) != nil)
    lose()
    // Two of the three are used: one was under way, one came after.
    #expect(send(other) != nil)
    #expect(send(other) == nil)
  }

  @Test func `SHR-45 a pause that comes while the server is lost holds at once`() throws {
    let (log, other) = (log(), log())
    let first = try #require(send(log))
    let second = try #require(send(other))
    lose()
    log.learn(LimitLesson(pause: 3600), from: first)
    #expect(send(log) == nil)
    #expect(send(other) == nil, "the machine knows")
    other.learn(LimitLesson(isFree: true), from: second)
    find()
    #expect(send(log) == nil)
    #expect(learned("paused") != nil)
    #expect(send(other) == nil, "all know")
  }

  @Test func `SHR-45 what was learned without the server is told to it`() throws {
    let log = log()
    #expect(send(log) != nil)
    lose()
    let admission = try #require(send(log))
    #expect(send(log) != nil)
    log.learn(LimitLesson(budget: .init(left: 2, resetsAfter: 3600)), from: admission)
    find()
    #expect(send(log) != nil)
    #expect(learned("left") == 0)
    #expect(send(log) == nil)
  }

  @Test func `SHR-46 something else in the place of a limit is a matter of that limit`() throws {
    let log = log(3, per: 60)
    _ = bench.say("set '\(bench.tag):log' x")
    for _ in 0..<3 { #expect(send(log) != nil) }
    #expect(send(log) == nil)
    #expect(bench.client.isUsable(bench.tag))
    #expect(bench.warnings.count == 1)
    #expect(bench.warnings.first?.contains("WRONGTYPE") == true)
    let tag = bench.client.tag(of: LimitKey(name: "b"))
    let asker = LimitAsker(
      RateLimit(requests: 1, per: 60), LimitKey(name: "b"), tag: tag, host: "h")
    #expect(try bench.isGranted(asker))
    #expect(bench.say("zcount '\(tag):log' '(-inf' +inf") == ["1"])
  }
}
