import LullLibC

extension Share {
  /// The variable of the environment that names the server for programs that say nothing of it.
  package static let variable = "LULL_SHARE"

  /// What it says; nil if it is not set, or empty.
  package static var ofEnvironment: Share? {
    // Copied at once; the environment is changed by nobody in this process.
    guard let text = getenv(variable).map({ String(cString: $0) }), !text.isEmpty else {
      return nil
    }
    return Share(url: text)
  }
}
