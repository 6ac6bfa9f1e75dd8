import LullHost
import LullLibC
import LullSystem
import Testing

/// Random programs against the embedding API; `LULL_FUZZ_SEED` and `LULL_FUZZ_SECONDS` set where it begins
/// and how long it takes; `LULL_FUZZ_STEPS` names a file that holds the seed and the steps of the run that
/// goes on now, should it end the process.
@Suite(.timeLimitOfFuzzing) struct RandomEmbeddingTests {
  @Test func `EMB-18 random calls from both sides neither crash nor leave anything behind`() throws
  {
    let first = Self.setting("LULL_FUZZ_SEED").flatMap { UInt64($0) } ?? 1
    let seconds = Self.setting("LULL_FUZZ_SECONDS").flatMap { Double($0) } ?? 3
    let end = SystemClock.uptime + seconds
    var seed = first
    var callCount = 0
    repeat {
      let (calls, leaks) = try RandomEmbedding.run(seed: seed)
      callCount += calls
      #expect(calls > 0, "LULL_FUZZ_SEED=\(seed): an error of another type")
      #expect(leaks == [], "LULL_FUZZ_SEED=\(seed)")
      seed += 1
    } while SystemClock.uptime < end
    // A driver that calls nothing would find nothing.
    #expect(callCount > 500)
  }

  private static func setting(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
