import LullCore
import LullLibC
import LullTestSupport
import LullTesting
import Testing

@testable import LullTransport

/// The rules by which hosts count together, as a server runs them.
@Suite(.timeLimit(.minutes(20)))
struct ServerLimitTests {
  private func pause(_ seconds: Double) { usleep(UInt32(max(0, seconds) * 1e6)) }

  @Test func `SHR-11 as many are let through as the rule says, and the next when that is over`()
    throws
  {
    let bench = try ShareBench()
    let asker = bench.asker(2, per: 0.4)
    #expect(try bench.isGranted(asker))
    #expect(try bench.isGranted(asker))
    let delay = try #require(try bench.delay(asker))
    #expect(delay > 0.1 && delay <= 0.4)
    pause(delay)
    #expect(try bench.isGranted(asker))
    #expect(bench.warnings == [])
  }

  @Test func `SHR-12 never more than each rule says in any window of the server's time`() throws {
    let bench = try ShareBench()
    // By the last one the server keeps all times.
    let rules = [(3, 0.1), (20, 1.0), (8, 0.4), (100_000, 100.0)]
    let askers = (0..<8).map { bench.asker(rules[$0 % 4].0, per: rules[$0 % 4].1) }
    var random = SeededGenerator(seed: 3)
    for _ in 0..<1500 {
      let asker = askers[Int.random(in: 0..<8, using: &random)]
      let (answer, number) = try bench.ask(asker, isSent: false)
      guard case .granted = answer else {
        if Bool.random(using: &random) { pause(0.005) }
        continue
      }
      switch Int.random(in: 0..<10, using: &random) {
      case 0: _ = bench.run(asker.withdraw([number]))
      case 1:
        pause(0.03)
        _ = bench.run(asker.send(number))
      default: _ = bench.run(asker.send(number))
      }
    }
    let times = bench.say("zrangebyscore '\(bench.tag):log' '(-inf' +inf withscores").enumerated()
      .filter { $0.offset % 2 == 1 }.compactMap { Double($0.element).map { $0 / 1e6 } }.sorted()
    #expect(times.count > 40)
    for (requests, per) in rules.dropLast() {
      for index in times.indices.dropFirst(requests) {
        #expect(times[index] - times[index - requests] >= per - 2e-6)
      }
    }
  }

  @Test func `SHR-13 who waits longest comes first, whoever asks first when it opens`() throws {
    let bench = try ShareBench()
    let (first, second) = (bench.asker(1, per: 0.7), bench.asker(1, per: 0.7))
    #expect(try bench.isGranted(second))
    #expect(try !bench.isGranted(first))
    #expect(try !bench.isGranted(second))
    pause(0.71)
    #expect(try !bench.isGranted(second), "the other one has waited longer")
    #expect(try bench.isGranted(first))
    pause(0.71)
    #expect(try bench.isGranted(second))
  }

  @Test func `SHR-14 who does not ask again in time is passed over, and keeps its place`() throws {
    let bench = try ShareBench()
    let (dead, other) = (bench.asker(1, per: 0.2), bench.asker(1, per: 0.2))
    #expect(try bench.isGranted(dead))
    #expect(try !bench.isGranted(dead))
    pause(0.25)
    #expect(try !bench.isGranted(other))
    // It wanted to ask again within 0.2 s, and has 1.5 s for that.
    pause(1.6)
    #expect(try bench.isGranted(other))
    #expect(try !bench.isGranted(dead))
    #expect(try !bench.isGranted(other))
    pause(0.21)
    #expect(try !bench.isGranted(other))
    #expect(try bench.isGranted(dead))
  }

  @Test func `SHR-15 who leaves the line, or gives one back, makes room`() throws {
    let bench = try ShareBench()
    let (first, second) = (bench.asker(1, per: 60), bench.asker(1, per: 60))
    let (_, number) = try bench.ask(first)
    #expect(try bench.delay(second) == 5)
    _ = bench.run(first.withdraw([number]))
    #expect(try bench.isGranted(second))
    #expect(try !bench.isGranted(first))
    #expect(try !bench.isGranted(second))
    _ = bench.run(first.leave())
    #expect(bench.say("zcount '\(bench.tag):line' '(-inf' +inf") == ["1"])
  }

  @Test func `SHR-16 what is let through counts until it is sent, and no longer than its lease`()
    throws
  {
    let bench = try ShareBench()
    let asker = bench.asker(1, per: 0.2)
    let (_, held) = try bench.ask(asker, isSent: false)
    pause(0.3)
    #expect(try bench.delay(asker) == 0.5, "nobody knows how long")
    _ = bench.run(asker.send(held))
    #expect(try bench.delay(asker) ?? 1 <= 0.2)
    pause(0.21)
    let (_, dead) = try bench.ask(asker, isSent: false)
    _ = bench.run(asker.hold(dead, for: 0.4))
    pause(0.3)
    #expect(try !bench.isGranted(asker))
    pause(0.15)
    let (_, begun) = try bench.ask(asker, isSent: false)
    _ = bench.run(asker.begin(begun, for: 0.2))
    pause(0.25)
    #expect(try !bench.isGranted(asker), "a byte may have gone out, so that it counts for a span")
    pause(0.25)
    #expect(try bench.isGranted(asker))
  }

  @Test
  func `SHR-17 what the server of the requests says lowers it, and what is free is given back`()
    throws
  {
    let bench = try ShareBench()
    let asker = bench.asker(100, per: 60)
    let (_, first) = try bench.ask(asker)
    let (_, second) = try bench.ask(asker)
    _ = bench.run(
      asker.learn(LimitLesson(budget: .init(left: 2, resetsAfter: 0.4)), from: first))
    #expect(try bench.isGranted(asker), "one of the two was under way")
    #expect(try bench.delay(asker) ?? 1 <= 0.4)
    _ = bench.run(asker.leave())
    _ = bench.run(asker.learn(LimitLesson(isFree: true), from: second))
    #expect(try bench.isGranted(asker))
    #expect(try !bench.isGranted(asker))
    pause(0.45)
    let (_, third) = try bench.ask(asker)
    #expect(bench.say("zcount '\(bench.tag):log' '(-inf' +inf") == ["4"])
    _ = bench.run(asker.learn(LimitLesson(pause: 0.3), from: third))
    let delay = try #require(try bench.delay(asker))
    #expect(delay > 0.1 && delay <= 0.3)
    pause(delay)
    #expect(try bench.isGranted(asker))
  }

  @Test func `SHR-18 the server forgets a limit that nobody uses`() throws {
    let bench = try ShareBench()
    let asker = bench.asker(1, per: 0.2)
    let (_, number) = try bench.ask(asker)
    _ = bench.run(asker.hold(number, for: 5))
    #expect(try !bench.isGranted(asker))
    let keys = bench.say("keys '*:limit:*'")
    #expect(keys.count == 7, "none of them is ever empty")
    for key in keys {
      #expect(key.hasPrefix("lull:{lull:limit:"))
      let left = Int(bench.say("pttl '\(key)'").first ?? "") ?? -1
      #expect(left > 50_000 && left < 70_000, "\(key)")
    }
  }

  @Test func `SHR-19 the server's clock may be set back`() throws {
    let bench = try ShareBench()
    let asker = bench.asker(1, per: 0.4)
    // As if it had been five seconds later already.
    let ahead = (Double(bench.say("time").first ?? "") ?? 0) + 5
    _ = bench.say("hset '\(bench.tag):meta' latest \(Int(ahead))000000 offset 0")
    #expect(try bench.isGranted(asker))
    let delay = try #require(try bench.delay(asker))
    #expect(delay > 0.1 && delay <= 0.4)
    pause(delay)
    #expect(try bench.isGranted(asker))
  }
}
