import LullLibC
import LullCore
import LullSystem

/// Runs Git to read a repository, without a shell.
enum GitProgram {
  struct Problem: Error {
    /// The error message, which includes Git's own message.
    let message: String
    /// The exit code. `nil` if Git could not be run.
    var code: Int32?
  }

  /// The maximum size of Git's output in bytes, larger than any Lua file or list of Lua files.
  private static let limit = 64 << 20

  /// Options that prevent Git from running programs that the repository's configuration names.
  private static let caution = [
    "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
  ]

  /// Variables that prevent Git from fetching missing objects of a partial clone, because fetching
  /// may run programs too. Unlike `protocol.allow`, `GIT_ALLOW_PROTOCOL` takes precedence over the
  /// repository's `protocol.ext.allow`.
  private static let variables = ["GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1"]

  /// Options that name a repository that does not exist, so that Git does not read the
  /// configuration or attributes of any repository.
  private static let outside = [
    "--git-dir=/dev/null/none", "-c", "core.attributesFile=/dev/null", "--no-pager",
  ]

  /// Options for a repository that environment variables name, as in a Git hook. Relative paths in
  /// these variables start from the current folder, not from the folder that Git runs in.
  private static var place: [String] {
    guard let folder = variable("GIT_DIR") else { return [] }
    let tree = variable("GIT_WORK_TREE") ?? "."
    return [
      "--git-dir=\(FileName.resolved(folder) ?? folder)",
      "--work-tree=\(FileName.resolved(tree) ?? tree)",
    ]
  }

  private static func variable(_ name: String) -> String? {
    // Copy the value, because a later change of the environment may invalidate the C string.
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether a word names a commit of the current repository.
  static func knows(_ word: String) -> Bool {
    guard !word.isEmpty, !word.hasPrefix("-") else { return false }
    return (try? run(["rev-parse", "--verify", "--quiet", word + "^{commit}"], in: ".")) != nil
  }

  /// The path that a renamed file had before. The result is a path below the folder `before`. The
  /// file is `name` below the folder `after`. Both folders have the same parent and are outside any
  /// repository. `nil` if Git finds no file that is similar enough.
  static func formerName(
    of name: String, from before: String, to after: String
  ) throws(Problem) -> String? {
    let folder = FileName.folder(of: before)
    let names = [before, after].map { String($0.dropFirst(folder.utf8.count + 1)) }
    let words = [
      "diff", "--no-index", "--no-ext-diff", "--no-textconv", "--name-status", "-z", "-M",
      "--diff-filter=R", "--", names[0], names[1],
    ]
    let bytes = try start(["-C", folder] + outside + words, succeeding: 0...1)
    // `R087`, the old name, the new one.
    let parts = bytes.split(separator: 0).map { String(validating: $0, as: UTF8.self) ?? "" }
    for place in stride(from: 0, to: parts.count - 2, by: 3)
    where parts[place + 2] == "\(names[1])/\(name)" {
      return String(parts[place + 1].dropFirst(names[0].count + 1))
    }
    return nil
  }

  /// Runs Git in a folder of a repository and returns its output.
  static func run(_ words: [String], in folder: String) throws(Problem) -> [UInt8] {
    try start(["-C", folder] + place + caution + words)
  }

  /// Runs Git and returns its output.
  ///
  /// - Parameter codes: The exit codes that count as success.
  private static func start(
    _ words: [String], succeeding codes: ClosedRange<Int32> = 0...0
  ) throws(Problem) -> [UInt8] {
    var output: [Int32] = [-1, -1]
    var errors: [Int32] = [-1, -1]
    guard pipe(&output) == 0, pipe(&errors) == 0 else {
      throw Problem(message: "git cannot be started: \(ErrorText.of(errno))")
    }
    for descriptor in output + errors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    defer { for descriptor in [output[0], errors[0]] { close(descriptor) } }
    let process: pid_t?
    do throws(ChildProcess.Failure) {
      // Git must not prompt on the terminal, such as for a passphrase: no user would answer.
      process = try ChildProcess.start(
        ["git"] + words, input: .nowhere, output: .descriptor(output[1]),
        errors: .descriptor(errors[1]), leadsGroup: false, variables: variables)
    } catch {
      for descriptor in [output[1], errors[1]] { close(descriptor) }
      throw Problem(message: "git cannot be started: \(ErrorText.of(error.code))")
    }
    for descriptor in [output[1], errors[1]] { close(descriptor) }
    let bytes = read(output[0], limit)
    let said = read(errors[0], 1 << 16) ?? []
    let code = process.map { ChildProcess.wait(for: $0) } ?? 1
    guard codes.contains(code) else {
      let line = String(escaping: said).split(separator: "\n").first.map(String.init)
      throw Problem(message: "git: \(line ?? "it ended with code \(code)")", code: code)
    }
    guard let bytes else {
      throw Problem(message: "git: its output is larger than \(limit >> 20) MB")
    }
    return bytes
  }

  /// Reads the output to its end. `nil` if the output is longer than the limit.
  private static func read(_ descriptor: Int32, _ limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = LullLibC.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= limit else { return nil }
    }
  }
}
