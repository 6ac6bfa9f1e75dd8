import LullLibC
import LullArguments
import LullCore
import LullHost
import LullSystem

/// Standard output, for data. Bytes are unchanged, except that control characters are escaped on a
/// terminal.
enum Output {
  /// Writes all bytes. Returns `false` if the reader has closed the output. If writing fails, as on
  /// a full disk, the process ends with exit code 1.
  static func write(_ bytes: [UInt8]) -> Bool {
    // Flush earlier output of scripts.
    fflush(nil)
    StatusLines.clear()
    let bytes = StandardTerminals.showsOutput ? TerminalText.visible(bytes) : bytes
    guard let failure = DescriptorWriting.put(bytes, into: STDOUT_FILENO) else { return true }
    // A reader that has closed the output is not an error. Any other failure loses data.
    guard failure == EPIPE else {
      // `ErrorText` copies the message of the C library.
      Exit.fail("lull: cannot write the output: \(ErrorText.of(failure))\n", FailureFacts("file"))
      Exit.now(1)
    }
    return false
  }

  static func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Like `write`, for output that may be shown in the user's pager. The pager is used for text
  /// that is longer than the screen.
  static func page(_ bytes: [UInt8], isWanted: Bool) -> Bool {
    guard isWanted, let pager = Pager(), !bytes.contains(0),
      bytes.withUnsafeBufferPointer({ UTF8Validation.isValid($0) })
    else {
      return write(bytes)
    }
    fflush(nil)
    StatusLines.clear()
    let shown = TerminalText.visible(bytes)
    return Pager.isLong(shown) && pager.show(shown, hint: "use --no-pager")
      || write(bytes)
  }
}

/// The properties of standard output that determine formatting.
struct OutputStyle {
  let isTerminal: Bool
  let isColoured: Bool
  /// The number of columns.
  var width = Int.max

  static let plain = OutputStyle()

  private init() {
    isTerminal = false
    isColoured = false
  }

  static func forStandardOutput() -> OutputStyle { OutputStyle(of: STDOUT_FILENO) }
  static func forStandardError() -> OutputStyle { OutputStyle(of: STDERR_FILENO) }

  /// Uses colours on a terminal, unless `NO_COLOR` is set or the terminal does not support them.
  private init(of descriptor: Int32) {
    isTerminal = isatty(descriptor) != 0
    let isFormed = descriptor == STDERR_FILENO && StandardError.isFormed
    let isRefused = isFormed || getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let kind = getenv("TERM").map { String(cString: $0) } ?? ""
    isColoured = isTerminal && !isRefused && kind != "dumb"
    width = TerminalWidth.columns(of: descriptor) ?? .max
  }

  func painted(_ text: String, _ code: String) -> String {
    isColoured ? TerminalText.painted(text, code) : text
  }
}

/// The output format of content on standard output.
enum OutputFormat: String, CaseIterable {
  /// JSON, on a terminal indented and coloured, otherwise on one line.
  case json
  /// Each element of a list as JSON on a separate line.
  case ndjson
  /// A table for people.
  case table
  /// A table for programs. (RFC 4180, with LF line ends)
  case csv
  /// Each element of a list as text on a separate line.
  case lines
  /// The bytes of the body.
  case raw

  /// Whether the format writes each element of a list separately.
  var isOfRows: Bool {
    switch self {
    case .json, .raw: false
    case .ndjson, .table, .csv, .lines: true
    }
  }

  static let names = allCases.map(\.rawValue)

  /// The format of `-o`. `nil` without that option.
  init?(_ words: ParsedArguments) {
    guard let text = words.text("-o") else { return nil }
    self.init(rawValue: text)
  }
}

/// Masks credentials.
enum Masking {
  static let mark = CredentialMask.mark

  /// The user and masked password of a URL, if it has them.
  static func user(of url: String) -> String? {
    LogText.userInfo(of: url).map { "\($0.prefix { $0 != ":" }):\(mark)" }
  }

  static func header(_ name: String, _ value: String) -> String {
    CredentialMask.header(name, value)
  }

  static func url(_ text: String) -> String { CredentialMask.url(text) }
}
