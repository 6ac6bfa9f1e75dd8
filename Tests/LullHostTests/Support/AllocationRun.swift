import CLullBridge
import LullCore
import LullSystem
import LullTestSupport
import LullTesting
import Testing

@testable import LullHost

/// One run of a scenario in a state of its own, with the allocator failing from some point on.
struct AllocationRun {
  enum Failing: String, CaseIterable, CustomTestStringConvertible {
    /// One allocation.
    case once = "one allocation"
    /// That allocation and all that follow, until the next turn of the loop.
    case untilNextTurn = "all allocations until the next turn"
    /// The first attempt of every allocation: the interpreter collects garbage and tries again.
    case firstAttempts = "first attempts"

    var testDescription: String { rawValue }

    var mode: Int32 {
      switch self {
      case .once: Int32(LULL_FAIL_ONCE)
      case .untilNextTurn: Int32(LULL_FAIL_FOR_GOOD)
      case .firstAttempts: Int32(LULL_FAIL_FIRST_ATTEMPTS)
      }
    }
  }

  let end: HostHarness.End
  /// How many allocations failed.
  let failureCount: Int
  /// Written to standard error.
  let reports: String
  /// What it left behind; empty if nothing.
  let leftovers: [String]

  /// - Parameter position: which allocation fails, counted from 1; 0: none.
  init(_ scenario: AllocationScenario, _ failing: Failing, at position: Int) throws {
    let written = WrittenReports()
    var end = HostHarness.End.waiting
    var failureCount = 0
    var leftovers: [String] = []
    try StandardError.$sink.withValue({ written.add($0) }) {
      let harness = try HostHarness()
      AllocationRun.stub(harness.provider)
      harness.run(AllocationScenario.prelude)
      harness.run(scenario.setup)
      let state = harness.state
      if failing == .untilNextTurn {
        harness.environment.onTurn {
          guard lull_memory_failure_count(state) > 0 else { return }
          failureCount += Int(lull_memory_failure_count(state))
          lull_memory_fail_after(state, 0, 0)
        }
      }
      lull_memory_fail_after(state, Int64(position), failing.mode)
      end = harness.run(scenario.body)
      failureCount += Int(lull_memory_failure_count(state))
      lull_memory_fail_after(state, 0, 0)
      leftovers = harness.leftovers()
    }
    self.end = end
    self.failureCount = failureCount
    self.leftovers = leftovers
    reports = written.text
  }

  private static func stub(_ provider: StubProvider) {
    let base = "https://api.test"
    provider.stub(
      "GET", base + "/a",
      .json(#"{"n": 1, "list": [1, 2, {"k": "v"}], "null": null}"#, etag: "\"e\""))
    provider.stub("GET", base + "/t", .text("hello"))
    provider.stub("GET", base + "/missing", .json(#"{"message": "gone"}"#, status: 404))
    provider.stub("POST", base + "/a", .json(#"{"made": true}"#, status: 201))
  }

  /// What is wrong with how it went, given what the scenario returns with enough memory; nil if nothing.
  func problem(expecting expected: String?) -> String? {
    if !leftovers.isEmpty { return leftovers.joined(separator: ", ") }
    switch end {
    case .finished(expected): return nil
    case _ where failureCount == 0: return "no failure, but \(end)"
    case .finished(let text):
      // What went wrong must have been said to somebody.
      if AllocationRun.says(text ?? "") || AllocationRun.says(reports) {
        return nil
      }
      return "silently \(text ?? "nothing") instead of \(expected ?? "nothing")"
    case .failed(let message):
      return AllocationRun.says(message) || AllocationRun.says(reports)
        ? nil : "failed with \(message)"
    case .waiting, .other: return "ended \(end)"
    }
  }

  /// The interpreter's own words for a stack that cannot grow are others.
  private static func says(_ text: String) -> Bool {
    text.contains("not enough memory") || text.contains("stack overflow")
  }
}

/// Collects what is written to standard error in a test.
final class WrittenReports: @unchecked Sendable {
  // One task writes and reads.
  private(set) var text = ""

  func add(_ text: String) { self.text += text }
}
