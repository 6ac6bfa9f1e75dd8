import LullLibC
import LullArguments
import LullClients
import LullHost
import LullSystem
import LullTransport

extension Command {
  static let mock = Command(
    "mock", "serve the calls of an API file for tests", .describe,
    forms: [("mock API", "serve the calls of an API file for tests")],
    spec: { MockArguments.spec }, words: .apisAndFiles
  ) { words, command throws(CommandEnd) in
    // Report errors under the name of the command that was typed.
    _ = try MockArguments.spec.read(words.dropFirst(), for: command)
    return MockCommand.run(words.dropFirst())
  }
}

/// `lull mock`: replaces this process with `lull-mock`, so that this program does not contain the
/// server.
enum MockCommand {
  /// Replaces this process with `lull-mock`. Returns only if the program can't be started.
  static func run(_ words: ArraySlice<String>) -> Int32 {
    guard let path = SiblingProgram.find("lull-mock", variable: "LULL_MOCK") else {
      Exit.complain(
        "lull: lull-mock was not found beside lull or on the PATH; set LULL_MOCK to its path\n")
      return 1
    }
    let arguments = ([path] + words).map { (word: String) in strdup(word) }
    execv(path, arguments + [nil])
    Exit.complain("lull: cannot start \(path): \(ErrorText.of(errno))\n")
    return 1
  }
}
