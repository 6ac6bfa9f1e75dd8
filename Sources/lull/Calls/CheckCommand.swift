import LullArguments
import LullClients
import LullCore
import LullHost
import LullREPL
import LullSystem

extension Command {
  static let check = Command(
    "check", "tell what is wrong with API files", .requests,
    forms: [("check FILE …", "tell what is wrong with API files")],
    spec: { CheckCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try CheckCommand(words.dropFirst()).run() }
}

/// `lull check FILE…`: what is wrong with API files, without asking any network.
struct CheckCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull check",
      description: """
        Loads API files without reaching any network and tells what is wrong with them: unknown
        settings, patterns that cannot match, calls with undeclared parameters or with paths that
        lead elsewhere, secrets that are written in the file. Functions that set settings are run.
        One line each, FILE:LINE: what; exit code 1 if there are any. With -o they are a list of
        objects, each with file, line (null: all of it), kind (finding or note) and text.

        Files of your own configuration folder, and those that lull trust trusts, run as they are, but
        for the network. Others run in the sandbox, with stand-ins for secrets and caches, and for the environment: once
        as if no variable were set, and where that is not enough once as if all were. What cannot be
        found out in this way is told as "not checked further", which is a note and no finding; so is
        that a file is a module, which declares no API.
        """,
      arguments: [
        .init(
          positional: "FILE", help: "API files, or APIs by name", isRequired: true,
          isRepeated: true)
      ] + OptionTable.list(),
      notes: """
        Examples:
          lull check apis/*.lua
          lull check github
          lull check apis/*.lua -o json

        """)
  }

  private let words: [String]
  private let format: OutputFormat?
  private let guardsFormulas: Bool

  /// - Parameter words: what follows `check`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try CheckCommand.spec.read(words, for: .check)
    self.words = parsed.all("FILE")
    format = OutputFormat(parsed)
    guardsFormulas = parsed.has("--csv-guard")
  }

  func run() -> Int32 {
    TrustDecision.tell()
    var hasFindings = false
    var isMissing = false
    var rows: [JSONValue] = []
    for word in words {
      guard let path = APIFileLocator.file(of: word) else {
        Exit.complain("lull: \(APIFileLocator.missing(word))\n")
        isMissing = true
        continue
      }
      let (report, code) = CheckCommand.report(on: path, APIName(word).environment)
      if format == nil {
        let lines = APIFileChecker.inOrder(report.findings + report.notes)
        _ = Output.write(
          lines.map { ControlCharacters.shownInLine("\($0.place): \($0.text)") + "\n" }.joined())
      }
      // A signal ends all of it.
      if code > 128 { return code }
      rows += CheckCommand.rows(of: report)
      if code != 0 || !report.findings.isEmpty { hasFindings = true }
    }
    if let format, let bytes = try? JSONValue.array(rows).encode() {
      let text = ContentText(
        format: format, columns: [], style: .forStandardOutput(), guardsFormulas: guardsFormulas)
      _ = Output.write(text.bytes(of: JSONText(valid: bytes)))
    }
    return hasFindings ? 1 : isMissing ? 3 : 0
  }

  /// What was found, for programs.
  private static func rows(of report: APIFileChecker.Report) -> [JSONValue] {
    APIFileChecker.inOrder(report.findings + report.notes).map { found in
      .object([
        .init("file", .string(found.place.file)),
        .init("line", found.place.line > 0 ? .int(found.place.line) : .null),
        .init("kind", .string(report.findings.contains(found) ? "finding" : "note")),
        .init("text", .string(found.text)),
      ])
    }
  }

  /// What is wrong with a file in one of its environments, or as it is and in each of them.
  private static func report(
    on path: String, _ environment: String?
  ) -> (APIFileChecker.Report, code: Int32) {
    if let environment { return CheckedFile(path: path, environment: environment).outcome }
    var (report, code) = CheckedFile(path: path, environment: nil).outcome
    for name in report.environments where code <= 128 {
      let (other, otherCode) = CheckedFile(path: path, environment: name).outcome
      report.add(other)
      code = max(code, otherCode)
    }
    return (report, code)
  }
}
