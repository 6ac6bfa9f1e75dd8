import LullLibC

/// Paths that begin in the home folder of whoever runs the program.
package enum HomeFolder {
  /// Whether a path leads into a home folder that does not exist, and which nobody should make: the
  /// variable may be wrong.
  package static func isMissing(for path: String) -> Bool {
    guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/"),
      path.hasPrefix(home.hasSuffix("/") ? home : home + "/")
    else { return false }
    return access(home, F_OK) != 0
  }

  /// `~/` is the home folder, where the environment names one.
  package static func expanded(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
    return String(cString: home) + path.dropFirst()
  }
}
