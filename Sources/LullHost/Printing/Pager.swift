import LullLibC
import LullCore
import LullSystem

/// The program by which whoever sits at the terminal reads what is longer than its screen.
package struct Pager {
  /// A line for the shell, as in `$PAGER`.
  private let command: String

  /// `$PAGER`, or `less`; nil if standard output is no terminal, or nobody wants one: the variable is empty
  /// or `cat`, or the terminal can do nothing.
  package init?() {
    guard isatty(STDOUT_FILENO) != 0 else { return nil }
    let kind = Pager.variable("TERM") ?? "dumb"
    guard kind != "dumb", !kind.isEmpty else { return nil }
    command = Pager.variable("PAGER") ?? "less"
    let words = command.split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty, words != ["cat"] else { return nil }
  }

  private static func variable(_ name: String) -> String? {
    // Copied before anybody can change the environment.
    getenv(name).map { String(escapingCString: $0) }
  }

  /// Whether there is more than the screen has room for, a line being left for the prompt.
  package static func isLong(_ bytes: [UInt8]) -> Bool {
    guard let size = TerminalSize(of: STDOUT_FILENO) else { return false }
    var rows = 0
    for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
      // Marks of colours would count, and are no part of what is wide.
      let width =
        line.count <= size.columns
        ? 1 : TextWidth.of(String(decoding: Pager.withoutSequences(line), as: UTF8.self))
      rows += max(1, (width + size.columns - 1) / size.columns)
      // A last line that is empty is none.
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

  /// Shows it, and waits until whoever reads has enough; false if there is no such program. Meanwhile
  /// Ctrl-C is the reader's business, who may also leave before the end.
  ///
  /// - Parameters:
  ///   - bytes: control characters made visible.
  ///   - hint: what to do about a program that cannot be run.
  package func show(_ bytes: [UInt8], hint: String = "set PAGER to one that can") -> Bool {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // As git has it: colours are shown, and what was read stays on the screen.
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
    // As the shell says that there is none, or that it is no program.
    guard code != 126, code != 127 else {
      StandardError.write("lull: PAGER is '\(command)', which cannot be run: \(hint)\n")
      return false
    }
    return true
  }

  /// Runs `body` with the keys that end programs meaning nothing here. Not what has been started before.
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
