import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct RateWindowTests {
  private func full(_ times: Double..., limit: RateLimit) -> RateWindow {
    var window = RateWindow(limit)
    for time in times {
      window.reserve()
      window.send(now: time)
    }
    return window
  }

  @Test func `a window lets its number through, and the next when the oldest is as old as 'per'`() {
    var window = full(100, 101, limit: RateLimit(requests: 2, per: 10))
    #expect(window.opening(now: 101) == .opens(after: 9))
    #expect(window.opening(now: 109.5) == .opens(after: 0.5))
    #expect(window.opening(now: 110) == .open)
    window.reserve()
    window.send(now: 110)
    #expect(window.opening(now: 110) == .opens(after: 1))
    #expect(window.opening(now: 111) == .open)
  }

  @Test func `never more than its number in any span, whenever they ask`() {
    let limit = RateLimit(requests: 7, per: 3)
    var window = RateWindow(limit)
    var sent: [Double] = []
    var now = 0.0
    for step in 0..<5000 {
      now += Double(step * 7919 % 100) / 250
      while window.opening(now: now) == .open {
        window.reserve()
        window.send(now: now)
        sent.append(now)
        if sent.count % 3 == 0 { break }
      }
    }
    #expect(sent.count > 1000)
    for index in sent.indices.dropFirst(7) {
      #expect(sent[index] - sent[index - 7] >= 3 - 1e-5)
    }
  }

  @Test func `one let through counts until it is withdrawn, and is not dated before it is sent`() {
    var window = RateWindow(RateLimit(requests: 1, per: 10))
    window.reserve()
    #expect(window.opening(now: 0) == .closed)
    #expect(window.opening(now: 1000) == .closed)
    window.withdraw()
    #expect(window.opening(now: 1000) == .open)
    window.reserve()
    window.send(now: 1000)
    #expect(window.opening(now: 1005) == .opens(after: 5))
  }

  @Test func `a clock that is set back makes nobody wait longer than 'per'`() {
    var window = full(5000, limit: RateLimit(requests: 1, per: 10))
    #expect(window.opening(now: 1000) == .opens(after: 10))
    #expect(window.opening(now: 1010) == .open)
    window.reserve()
    window.send(now: 1010)
    #expect(window.opening(now: 1015) == .opens(after: 5))
  }

  @Test func `it is empty when nothing counts any more`() {
    var window = full(1, limit: RateLimit(requests: 3, per: 10))
    #expect(!window.isEmpty)
    _ = window.opening(now: 11)
    #expect(window.isEmpty)
    window.reserve()
    #expect(!window.isEmpty)
  }
}
