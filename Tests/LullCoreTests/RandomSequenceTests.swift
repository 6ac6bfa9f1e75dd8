import LullLibC
import LullCore
import LullSystem
import LullTestSupport
import LullTesting
import Testing

/// Random sequences against a model of the rules: loads, overrides, wipes, invalidations, cancellations
/// and answers in any order, with and without a cache and an observer.
///
/// `LULL_FUZZ_SEED` and `LULL_FUZZ_SECONDS` set where it begins and how long it takes.
@Suite(.timeLimitOfFuzzing) struct RandomSequenceTests {
  /// STA-06 to STA-11, NM-01 to NM-06, OVR-01 to OVR-12, INV-01 to INV-08, WIPE-01 to WIPE-08, CXL-11,
  /// LOAD-16, CACHE-05 to CACHE-09, CACHE-29, CACHE-38
  @Test func `whatever happens in whatever order, a resource is in the state that the rules say`() {
    let first = Self.setting("LULL_FUZZ_SEED").flatMap { UInt64($0) } ?? 1
    let seconds = Self.setting("LULL_FUZZ_SECONDS").flatMap { Double($0) }
    let end = Self.now() + (seconds ?? 3)
    var seed = first
    // As many as there is time for, and no fewer than would find something.
    while seed < first + 300 || Self.now() < end {
      let sequence = RandomSequence(seed: seed)
      if let difference = sequence.run(stepCount: 60) {
        let steps = sequence.steps.enumerated().map { "  \($0.offset): \($0.element)" }
        Issue.record(
          "LULL_FUZZ_SEED=\(seed): \(difference), after\n\(steps.joined(separator: "\n"))")
        sequence.finish()
        return
      }
      sequence.finish()
      seed += 1
    }
    print("Random sequences: \(seed - first), seeds \(first) to \(seed - 1)")
  }

  private static func setting(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func now() -> Double { SystemClock.uptime }
}

extension Trait where Self == TimeLimitTrait {
  fileprivate static var timeLimitOfFuzzing: Self {
    let seconds = getenv("LULL_FUZZ_SECONDS").flatMap { Int(String(cString: $0)) } ?? 0
    return .timeLimit(.minutes(20 + seconds / 60))
  }
}
