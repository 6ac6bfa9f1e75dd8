import LullCore

/// The warnings about a server: a process has each of them once, but for news. Home thread only.
struct ShareWarnings {
  private let server: String
  private let warn: (String) -> Void
  private var hasWarned = false
  private var hasWarnedOfLateness = false
  private var hasWarnedOfDamage = false

  /// - Parameter server: its URL without user and password.
  init(of server: String, _ warn: @escaping (String) -> Void) {
    self.server = server
    self.warn = warn
  }

  /// - Parameter otherwise: what happens without the server, in words.
  mutating func unusable(_ trouble: String, otherwise: String) {
    guard !hasWarned else { return }
    hasWarned = true
    warn("the shared server \(server) cannot be used (\(trouble)): until it can, \(otherwise)")
  }

  /// Most of its answers come after nobody waits for them any more. (SHR-98)
  ///
  /// - Parameters:
  ///   - seconds: what they take.
  ///   - patience: how long they are waited for.
  mutating func late(taking seconds: Double, waitingFor patience: Double, otherwise: String) {
    guard !hasWarnedOfLateness else { return }
    hasWarnedOfLateness = true
    warn(
      "the shared server \(server) is too slow: most answers take \(Int(seconds * 1000)) ms, and are waited "
        + "for \(Int(patience * 1000)) ms; without one in time, \(otherwise)")
  }

  /// Under a key of Lull's is something else.
  mutating func damage(_ words: String, under key: String) {
    guard !hasWarnedOfDamage else { return }
    hasWarnedOfDamage = true
    warn(
      "what the shared server \(server) has under \(LogText.part(key, limit: 200)) is nothing of "
        + "Lull's (\(LogText.part(words, limit: 80))): until it is removed each machine does without it"
    )
  }

  func updates(_ text: String) { warn("the shared server \(server): \(text)") }
}
