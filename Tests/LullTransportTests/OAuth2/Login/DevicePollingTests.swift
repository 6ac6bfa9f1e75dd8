import Testing

@testable import LullTransport

/// The rule by itself. (RFC 8628, sections 3.4 and 3.5)
@Suite(.timeLimit(.minutes(20)))
struct DevicePollingTests {
  typealias Answer = DevicePolling.Answer
  typealias Step = DevicePolling.Step

  /// What follows each answer, which comes as soon as it was asked for.
  private static let courses: [(interval: Double?, answers: [Answer], steps: [Step])] = [
    (nil, [.pending, .pending], [.wait(5), .wait(5)]),
    (1, [.pending, .slowDown, .pending, .slowDown], [.wait(1), .wait(6), .wait(6), .wait(11)]),
    (5, [.unreachable, .unreachable, .pending], [.wait(10), .wait(20), .wait(20)]),
    (40, [.unreachable, .unreachable, .slowDown], [.wait(60), .wait(60), .wait(65)]),
    (90, [.unreachable], [.wait(90)]),
    (0, [.pending], [.wait(0.1)]),
    (5, [.pending, .final], [.wait(5), .end]),
    (5, [.denied], [.denied]),
    (5, [.expired], [.expired]),
  ]

  @Test(arguments: courses.indices)
  func `OAU-11 how long to wait follows from what was answered`(index: Int) {
    let course = Self.courses[index]
    var polling = DevicePolling(interval: course.interval, lifetime: 1000, now: 50)
    var now = 50.0
    for (answer, expected) in zip(course.answers, course.steps) {
      let step = polling.next(after: answer, now: now)
      #expect(step == expected)
      if case .wait(let seconds) = step { now += seconds }
    }
  }

  @Test(arguments: [(nil, 600.0), (30, 30), (1e9, 3600), (-5, 0)] as [(Double?, Double)])
  func `OAU-11 nobody asks with a code that is over`(lifetime: Double?, seconds: Double) {
    var polling = DevicePolling(interval: 5, lifetime: lifetime, now: 0)
    #expect(polling.deadline == seconds)
    #expect(polling.next(after: .pending, now: seconds - 5) == .expired)
    if seconds > 10 { #expect(polling.next(after: .pending, now: seconds - 6) == .wait(5)) }
  }
}
