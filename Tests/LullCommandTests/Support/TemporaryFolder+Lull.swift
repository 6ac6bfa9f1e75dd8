import LullLibC
import LullTesting

extension TemporaryFolder {
  /// Runs `lull diff` there, with files of its own beside those of the folder.
  func runDiff(_ words: [String]) throws -> Child.Ending {
    mkdir(path + "/tmp", 0o700)
    return try runLull(
      ["diff"] + words, environment: ["NO_COLOR": "1", "TMPDIR": path + "/tmp"])
  }

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
