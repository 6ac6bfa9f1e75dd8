import LullLibC
import LullArguments
import LullCore
import LullHost
import LullSystem

/// Standard output, for data: as it is, but on a terminal with control characters made visible.
enum Output {
  /// Writes all of it; false if nobody reads any more. Where it cannot be written, as on a full disk,
  /// the process ends with exit code 1.
  static func write(_ bytes: [UInt8]) -> Bool {
    // What scripts have printed came before.
    fflush(nil)
    StatusLines.clear()
    let bytes = StandardTerminals.showsOutput ? TerminalText.visible(bytes) : bytes
    guard let failure = DescriptorWriting.put(bytes, into: STDOUT_FILENO) else { return true }
    // Who has stopped reading wants no more; anything else loses data.
    guard failure == EPIPE else {
      // A message of the C library, copied at once.
      Exit.complain("lull: cannot write the output: \(ErrorText.of(failure))\n")
      Exit.now(1)
    }
    return false
  }

  static func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// The same of what people may want to read a screen at a time: by their pager where it is longer than
  /// one, and text.
  static func page(_ bytes: [UInt8], isWanted: Bool) -> Bool {
    guard isWanted, let pager = Pager(), !bytes.contains(0),
      bytes.withUnsafeBufferPointer({ UTF8Validation.isValid($0) })
    else {
      return write(bytes)
    }
    fflush(nil)
    StatusLines.clear()
    let shown = TerminalText.visible(bytes)
    return Pager.isLong(shown) && pager.show(shown, hint: "--no-pager does without")
      || write(bytes)
  }
}

/// What standard output is, and what may be written to it.
struct OutputStyle {
  let isTerminal: Bool
  let isColoured: Bool
  /// How many columns a line has.
  var width = Int.max

  static let plain = OutputStyle()

  private init() {
    isTerminal = false
    isColoured = false
  }

  static func forStandardOutput() -> OutputStyle { OutputStyle(of: STDOUT_FILENO) }
  static func forStandardError() -> OutputStyle { OutputStyle(of: STDERR_FILENO) }

  /// Colours on a terminal, unless `NO_COLOR` is set to anything, or the terminal knows none.
  private init(of descriptor: Int32) {
    isTerminal = isatty(descriptor) != 0
    let isRefused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let kind = getenv("TERM").map { String(cString: $0) } ?? ""
    isColoured = isTerminal && !isRefused && kind != "dumb"
    width = TerminalWidth.columns(of: descriptor) ?? .max
  }

  func painted(_ text: String, _ code: String) -> String {
    isColoured ? TerminalText.painted(text, code) : text
  }
}

/// How content is written to standard output.
enum OutputFormat: String, CaseIterable {
  /// Over several lines and in colours on a terminal, else on one line.
  case json
  /// Each element of a list on a line of its own, as JSON.
  case ndjson
  /// Columns for people.
  case table
  /// Columns for programs. (RFC 4180, with plain line ends)
  case csv
  /// Each element of a list on a line of its own, as text.
  case lines
  /// The bytes of the body.
  case raw

  /// Whether each element of a list is written by itself.
  var isOfRows: Bool {
    switch self {
    case .json, .raw: false
    case .ndjson, .table, .csv, .lines: true
    }
  }

  static let names = allCases.map(\.rawValue)

  /// That of -o; nil: none.
  init?(_ words: ParsedArguments) {
    guard let text = words.text("-o") else { return nil }
    self.init(rawValue: text)
  }
}

/// What is shown in the place of credentials.
enum Masking {
  static let mark = CredentialMask.mark

  /// User and masked password of a URL that has them.
  static func user(of url: String) -> String? {
    LogText.userInfo(of: url).map { "\($0.prefix { $0 != ":" }):\(mark)" }
  }

  static func header(_ name: String, _ value: String) -> String {
    CredentialMask.header(name, value)
  }

  static func url(_ text: String) -> String { CredentialMask.url(text) }
}
