import LullLibC
import LullCore
import LullSystem

/// The program with which the user reads text that is longer than the screen.
package struct Pager {
  /// The shell command from `$PAGER`, or the default.
  private let command: String

  /// Creates a pager that uses `$PAGER`, or `less` if that variable is not set. Returns nil if
  /// standard output is not a terminal, if `$PAGER` is empty or `cat`, or if the terminal has no
  /// capabilities.
  package init?() {
    guard isatty(STDOUT_FILENO) != 0 else { return nil }
    let kind = Pager.variable("TERM") ?? "dumb"
    guard kind != "dumb", !kind.isEmpty else { return nil }
    command = Pager.variable("PAGER") ?? "less"
    let words = command.split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty, words != ["cat"] else { return nil }
  }

  private static func variable(_ name: String) -> String? {
    // The value is copied before the environment can change.
    getenv(name).map { String(escapingCString: $0) }
  }

  /// Returns whether a text that ends with a line break has too many lines for the screen. One line
  /// of the screen is left for the prompt.
  package static func isLong(_ bytes: [UInt8]) -> Bool {
    guard let size = TerminalSize(of: STDOUT_FILENO) else { return false }
    var rows = 0
    for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
      // Colour sequences do not count as width.
      let width =
        line.count <= size.columns
        ? 1 : TextWidth.of(String(decoding: Pager.withoutSequences(line), as: UTF8.self))
      rows += max(1, (width + size.columns - 1) / size.columns)
      // The empty last line of the text counts as the line for the prompt.
      if rows > size.rows { return true }
    }
    return false
  }

  private static func withoutSequences(_ line: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var isInside = false
    for byte in line {
      if byte == 27 { isInside = true }
      if !isInside { result.append(byte) }
      if byte == UInt8(ascii: "m") { isInside = false }
    }
    return result
  }

  /// Shows a text in the pager and waits until the user quits the pager. The user may quit it
  /// before the end of the text. Meanwhile only the pager handles Ctrl-C. Returns false if the
  /// pager program can't be run.
  ///
  /// - Parameters:
  ///   - bytes: the text, with control characters escaped.
  ///   - hint: a hint for the user, shown if the pager program can't be run.
  package func show(_ bytes: [UInt8], hint: String = "set PAGER to another program") -> Bool {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // As in git, colours are shown, and the text stays on the screen.
    let variables = [("LESS", "FRX"), ("LV", "-c")].filter { getenv($0.0) == nil }
    let process = try? ChildProcess.start(
      ["sh", "-c", command], input: .descriptor(ends[0]), leadsGroup: false,
      variables: variables.map { "\($0.0)=\($0.1)" })
    close(ends[0])
    guard let process else {
      close(ends[1])
      return false
    }
    let code = Pager.withoutKeys {
      _ = SignalGuard.without(SIGPIPE) { DescriptorWriting.put(bytes, into: ends[1]) }
      close(ends[1])
      return ChildProcess.wait(for: process)
    }
    // These are the exit codes with which the shell reports a missing or invalid program.
    guard code != 126, code != 127 else {
      StandardError.write("lull: PAGER is '\(command)', which cannot be run: \(hint)\n")
      return false
    }
    return true
  }

  /// Runs `body` while this process ignores the signals of the keyboard. Other processes that were
  /// started before `body` still receive these signals.
  private static func withoutKeys(_ body: () -> Int32) -> Int32 {
    var ignoring = sigaction()
    ignoring.__sigaction_handler.sa_handler = SIG_IGN
    var (interrupt, quit) = (sigaction(), sigaction())
    sigaction(SIGINT, &ignoring, &interrupt)
    sigaction(SIGQUIT, &ignoring, &quit)
    defer {
      sigaction(SIGINT, &interrupt, nil)
      sigaction(SIGQUIT, &quit, nil)
    }
    return body()
  }
}
