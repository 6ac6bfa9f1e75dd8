import Testing

@testable import LullCore

/// When a stream is asked for again.
@Suite(.timeLimit(.minutes(20)))
struct ReconnectionTests {
  private func delays(_ time: Double?, random: Double, count: Int = 9) -> [Double] {
    var rule = time.map { Reconnection(time: $0) } ?? Reconnection()
    return (0..<count).map { _ in rule.nextDelay(random: random) }
  }

  @Test func `STR-12 after a break when the server wants`() {
    #expect(delays(nil, random: 0, count: 1) == [3])
    #expect(delays(0, random: 0.9, count: 1) == [0])
    #expect(delays(90, random: 0.9, count: 1) == [90])
  }

  @Test func `STR-13 then twice as long each time, up to a minute, never sooner than wanted`() {
    #expect(delays(nil, random: 0) == [3, 6, 12, 24, 48, 60, 60, 60, 60])
    #expect(delays(nil, random: 0.5) == [3, 4.5, 9, 18, 36, 45, 45, 45, 45])
    #expect(delays(5, random: 0.999).allSatisfy { $0 >= 5 })
    #expect(delays(90, random: 0.5) == Array(repeating: 90, count: 9))
    #expect(delays(0, random: 0, count: 4) == [0, 0.2, 0.4, 0.8])
    #expect(delays(1, random: 0, count: 100).last == 60)
    var rule = Reconnection(time: 1)
    _ = (rule.nextDelay(random: 0), rule.nextDelay(random: 0), rule.nextDelay(random: 0))
    rule.succeeded()
    #expect(rule.nextDelay(random: 0) == 1)
  }

  @Test func `STR-15 what cannot pass is no break`() {
    for kind in TransportError.Kind.allCases {
      let error = TransportError(kind, "")
      let mayPass = [.network, .timeout, .dns, .connection, .truncatedBody].contains(kind)
      #expect(Reconnection.mayPass(error, afterHead: false) == mayPass, "\(kind)")
      #expect(
        Reconnection.mayPass(error, afterHead: true) == (mayPass || kind == .malformedResponse))
      #expect(!Reconnection.mayPass(.final(kind, ""), afterHead: true))
    }
  }
}
