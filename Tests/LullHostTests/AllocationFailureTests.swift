import CLullBridge
import LullClients
import Testing

@testable import LullHost

/// The allocator of the Lua state refuses at every point in turn: what crosses the bridge then either
/// succeeds or says so, and leaves nothing behind.
@Suite(.timeLimit(.minutes(20))) struct AllocationFailureTests {
  @Test(arguments: AllocationScenario.all, [AllocationRun.Failing.once, .untilNextTurn])
  func `no allocation that fails breaks`(
    _ scenario: AllocationScenario, _ failing: AllocationRun.Failing
  ) throws {
    let expected = try AllocationScenario.outcome(of: scenario)
    var position = 1
    var problems: [String] = []
    while true {
      let run = try AllocationRun(scenario, failing, at: position)
      if let problem = run.problem(expecting: expected) {
        problems.append("\(position): \(problem)")
      }
      if run.failureCount == 0 { break }
      // Where all fail until the next turn, neighbours mostly differ in nothing.
      position += failing == .once ? 1 : max(1, position / 30)
    }
    #expect(problems.isEmpty)
    // It had something to fail at.
    #expect(position > 10)
  }

  @Test func `opening the module survives it`() throws {
    var count = 0
    repeat {
      count += 1
      weak var host: LuaHost?
      let environment = StubEnvironment()
      do {
        let made = LuaHost(environment: environment, library: .withClients)
        host = made
        let state = try #require(lull_state_new())
        try #require(lull_state_preload(state, Unmanaged.passUnretained(made).toOpaque()) == 0)
        lull_memory_fail_after(state, Int64(count), Int32(LULL_FAIL_ONCE))
        let status = lull_state_require(state, 1)
        let hasFailed = lull_memory_failure_count(state) > 0
        lull_memory_fail_after(state, 0, 0)
        #expect(status == 0 || hasFailed)
        // Whether it can be opened now or not, nobody gets half a module.
        if lull_state_require(state, 1) == 0 { #expect(lull_state_runtime(state) != nil) }
        lull_state_close(state)
        if !hasFailed { count = -count }
      }
      #expect(host == nil)
    } while count > 0
    #expect(count < -100)
  }

  @Test(arguments: AllocationScenario.all)
  func `nothing depends on when garbage is collected`(_ scenario: AllocationScenario) throws {
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
