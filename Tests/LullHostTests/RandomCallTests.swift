import LullLibC
import LullCore
import LullSystem
import Testing

@testable import LullHost

/// Random scripts against the whole API: no crash, no hang, nothing left behind.
///
/// `LULL_FUZZ_SEED` and `LULL_FUZZ_SECONDS` set where it begins and how long it takes;
/// `LULL_FUZZ_SCRIPT` names a file that holds the script that runs now, should it end the process.
@Suite(.timeLimitOfFuzzing) struct RandomCallTests {
  @Test func `random calls neither crash nor leak`() throws {
    let first = Self.setting("LULL_FUZZ_SEED").flatMap { UInt64($0) } ?? 1
    let seconds = Self.setting("LULL_FUZZ_SECONDS").flatMap { Double($0) } ?? 5
    let end = Self.now() + seconds
    var seed = first
    var callCount = 0
    repeat {
      Self.write(seed)
      let run = try RandomRun(seed: seed)
      callCount += run.callCount
      if let problem = run.problem {
        Issue.record("LULL_FUZZ_SEED=\(seed): \(problem)")
        if Self.setting("LULL_FUZZ_SECONDS") == nil { return }
      }
      seed += 1
    } while Self.now() < end
    // A driver that calls nothing would find nothing.
    #expect(callCount > 1000)
    print("Random calls: \(callCount) in \(seed - first) scripts, seeds \(first) to \(seed - 1)")
  }

  private static func setting(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func now() -> Double { SystemClock.uptime }

  private static func write(_ seed: UInt64) {
    guard let path = setting("LULL_FUZZ_SCRIPT"), let file = fopen(path, "w") else { return }
    fputs("-- LULL_FUZZ_SEED=\(seed)\n" + RandomScript.text(seed: seed) + "\n", file)
    fclose(file)
  }
}

extension Trait where Self == TimeLimitTrait {
  static var timeLimitOfFuzzing: Self {
    let seconds = getenv("LULL_FUZZ_SECONDS").flatMap { Int(String(cString: $0)) } ?? 0
    return .timeLimit(.minutes(20 + seconds / 60))
  }
}
