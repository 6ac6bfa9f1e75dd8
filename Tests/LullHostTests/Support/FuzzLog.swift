import LullLibC

/// What a random run has done so far, in a file that is there when the process has died: `LULL_FUZZ_STEPS`
/// names it. Without it nothing is written.
final class FuzzLog {
  private let file: UnsafeMutablePointer<FILE>?

  /// Begins the file anew.
  init(seed: UInt64) {
    file = getenv("LULL_FUZZ_STEPS").flatMap { fopen($0, "w") }
    note("LULL_FUZZ_SEED=\(seed)")
  }

  deinit { if let file { fclose(file) } }

  func note(_ step: @autoclosure () -> String) {
    guard let file else { return }
    fputs(step() + "\n", file)
    fflush(file)
  }
}
