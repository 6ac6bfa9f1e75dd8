import Testing

@testable import LullCore

/// How a limit follows what its server says.
@Suite(.timeLimit(.minutes(20)))
struct LearnedLimitTests {
  private func lesson(_ left: Int, _ resets: Double) -> LimitLesson {
    LimitLesson(budget: LimitLesson.Budget(left: left, resetsAfter: resets))
  }

  @Test func `LIM-26 those sent since the one that was answered count as not seen by the server`() {
    var learned = LearnedLimit()
    learned.learn(lesson(10, 60), now: 0, sentSince: 4)
    #expect(learned.left == 6)
    #expect(learned.opens(now: 0, reserved: 5) == nil)
    #expect(learned.opens(now: 0, reserved: 6) == 60)
    #expect(learned.opens(now: 60, reserved: 6) == nil)
  }

  @Test func `LIM-27 answers that overtake each other do not raise it again`() {
    var learned = LearnedLimit()
    learned.learn(lesson(5, 60), now: 0, sentSince: 0)
    learned.learn(lesson(7, 59.5), now: 0.5, sentSince: 0)
    #expect(learned.left == 5)
    learned.learn(lesson(900, 3), now: 1, sentSince: 0)
    #expect(learned.left == 5, "of the span before")
    learned.learn(lesson(100, 60), now: 30, sentSince: 0)
    #expect(learned.left == 100, "a new span")
  }

  @Test func `LIM-28 what is sent lowers it until the server is heard again`() {
    var learned = LearnedLimit()
    learned.learn(lesson(2, 60), now: 0, sentSince: 0)
    learned.send()
    learned.send()
    learned.send()
    #expect(learned.left == 0)
    #expect(learned.opens(now: 1, reserved: 0) == 60)
  }

  @Test func `LIM-29 a pause stops everybody, and a shorter one does not shorten it`() {
    var learned = LearnedLimit()
    learned.learn(LimitLesson(pause: 30), now: 0, sentSince: 0)
    learned.learn(LimitLesson(pause: 5), now: 1, sentSince: 0)
    #expect(learned.opens(now: 29, reserved: 0) == 30)
    #expect(learned.opens(now: 30, reserved: 0) == nil)
  }

  @Test func `LIM-30 one window forgets the oldest in place of one that was free`() {
    var window = RateWindow(RateLimit(requests: 2, per: 10))
    var admissions: [Admission] = []
    for time in [0.0, 5] {
      window.reserve()
      admissions.append(window.send(now: time))
    }
    #expect(window.opening(now: 5) == .opens(after: 5))
    window.learn(LimitLesson(isFree: true), from: admissions[1], now: 6)
    #expect(window.opening(now: 6) == .open)
    window.reserve()
    _ = window.send(now: 6)
    #expect(window.opening(now: 6) == .opens(after: 9), "the later one still counts")
    _ = window.opening(now: 100)
    window.learn(LimitLesson(isFree: true), from: admissions[0], now: 100)
    window.reserve()
    _ = window.send(now: 100)
    window.reserve()
    _ = window.send(now: 100)
    #expect(window.opening(now: 100) == .opens(after: 10), "what is long past gives nothing back")
  }
}
