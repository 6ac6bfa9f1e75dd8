import LullCore

/// The warnings about a server. Each kind of warning is printed only once. The caller of `updates`
/// ensures that for its kind. Home thread only.
struct ShareWarnings {
  private let server: String
  private let warn: (String) -> Void
  private var hasWarned = false
  private var hasWarnedOfLateness = false
  private var hasWarnedOfDamage = false

  /// - Parameter server: The URL without user and password.
  init(of server: String, _ warn: @escaping (String) -> Void) {
    self.server = server
    self.warn = warn
  }

  /// Warns that the server cannot be used.
  ///
  /// - Parameter otherwise: The behaviour without the server.
  mutating func unusable(_ trouble: String, otherwise: String) {
    guard !hasWarned else { return }
    hasWarned = true
    warn(
      "the shared server \(server) cannot be used (\(trouble)): until it can be used, \(otherwise)")
  }

  /// Warns that most replies come after their timeout. (SHR-98)
  ///
  /// - Parameters:
  ///   - seconds: How long replies take.
  ///   - patience: The timeout.
  mutating func late(taking seconds: Double, waitingFor patience: Double, otherwise: String) {
    guard !hasWarnedOfLateness else { return }
    hasWarnedOfLateness = true
    warn(
      "the shared server \(server) is too slow: most responses take \(Int(seconds * 1000)) ms, but "
        + "the timeout is \(Int(patience * 1000)) ms; after a timeout, \(otherwise)")
  }

  /// Warns that a key in Lull's namespace contains data of another program.
  mutating func damage(_ words: String, under key: String) {
    guard !hasWarnedOfDamage else { return }
    hasWarnedOfDamage = true
    warn(
      "the key \(LogText.part(key, limit: 200)) of the shared server \(server) has data of another "
        + "program (\(LogText.part(words, limit: 80))): until the key is removed, each machine "
        + "works alone")
  }

  func updates(_ text: String) { warn("the shared server \(server): \(text)") }
}
