import LullLibC

/// Paths that begin in the home folder of whoever runs the program.
package enum HomeFolder {
  /// `~/` is the home folder, where the environment names one.
  package static func expanded(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
    return String(cString: home) + path.dropFirst()
  }
}
