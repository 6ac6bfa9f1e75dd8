import CLullBridge
import Testing

@testable import LullHost

/// The allocator of the Lua state refuses at every point in turn: what crosses the bridge then either
/// succeeds or says so, and leaves nothing behind.
@Suite struct AllocationFailureTests {
  @Test(arguments: AllocationScenario.all, [AllocationRun.Failing.once, .untilNextTurn])
  func no_allocation_that_fails_breaks(
    _ scenario: AllocationScenario, _ failing: AllocationRun.Failing
  ) throws {
    let expected = try AllocationScenario.outcome(of: scenario)
    var position = 1
    var problems: [String] = []
    while true {
      let run = try AllocationRun(scenario, failing, at: position)
      if let problem = run.problem(expecting: expected) { problems.append("\(position): \(problem)") }
      if run.failureCount == 0 { break }
      position += 1
    }
    #expect(problems.isEmpty)
    // It had something to fail at.
    #expect(position > 10)
  }

  @Test(arguments: AllocationScenario.all)
  func nothing_depends_on_when_garbage_is_collected(_ scenario: AllocationScenario) throws {
    let expected = try AllocationScenario.outcome(of: scenario)
    let run = try AllocationRun(scenario, .firstAttempts, at: 1)
    #expect(run.end == .finished(expected))
    #expect(run.leftovers.isEmpty)
    #expect(run.reports.isEmpty)
    #expect(run.failureCount > 10)
  }
}

extension AllocationScenario {
  /// What the scenario returns with enough memory.
  static func outcome(of scenario: AllocationScenario) throws -> String {
    let run = try AllocationRun(scenario, .once, at: 0)
    guard case .finished(let text?) = run.end, run.leftovers.isEmpty, run.reports.isEmpty else {
      throw BrokenScenario(what: "\(run.end) \(run.leftovers) \(run.reports)")
    }
    return text
  }
}

struct BrokenScenario: Error {
  let what: String
}
