import LullTesting

extension TemporaryFolder {
  /// Runs the command in this folder, where its state, caches and configuration are, too.
  func runLull(_ words: [String], environment: [String: String] = [:]) throws -> Child.Ending {
    try Child(
      Binaries.lull, words,
      environment: [
        "XDG_STATE_HOME": path + "/state", "XDG_CACHE_HOME": path + "/cache",
        "XDG_CONFIG_HOME": path + "/config",
      ].merging(environment) { $1 }, folder: path
    ).wait()
  }

  /// Commits all that is here; the first time to a new repository.
  func commit() throws {
    let words = "git -c user.name=a -c user.email=a@b"
    _ = try shell("git init -q . ; git add -A && \(words) commit -q -m one", folder: path)
  }
}
