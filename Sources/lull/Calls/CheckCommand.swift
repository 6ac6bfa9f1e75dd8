import LullArguments
import LullClients
import LullCore
import LullHost
import LullREPL
import LullSystem

extension Command {
  static let check = Command(
    "check", "find mistakes in API files", .describe,
    forms: [("check FILE …", "find mistakes in API files")],
    spec: { CheckCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try CheckCommand(words.dropFirst()).run() }
}

/// `lull check FILE…`: reports errors in API files without network access.
struct CheckCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull check",
      description: """
        Finds mistakes in API files, without the network.

        Reports unknown settings, patterns that cannot match, undeclared parameters,
        paths outside the API and secrets written in the file. Each finding is one line,
        FILE:LINE: TEXT, and the exit code is 1. With -o, findings are objects with
        file, line, kind (finding or note) and text.

        Files of your configuration folder and trusted files (lull trust) run with all
        rights except network access. Other files run in the sandbox with stand-ins for
        secrets and caches: first with no environment variable set and, if that fails,
        again with all variables set. Lines that cannot be checked become notes.
        """,
      arguments: [
        .init(
          positional: "FILE", help: "API files, or APIs by name.", isRequired: true,
          isRepeated: true)
      ] + OptionTable.list(),
      examples: [
        "lull check apis/*.lua",
        "lull check github",
        "lull check apis/*.lua -o json",
      ])
  }

  private let words: [String]
  private let format: OutputFormat?
  private let guardsFormulas: Bool

  /// - Parameter words: The arguments after `check`.
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
        _ = Output.write(lines.map { CheckCommand.text(of: $0) }.joined())
      }
      // A signal ends the whole command.
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

  /// A finding, with the excerpt of a document on further lines.
  private static func text(of found: APIFileChecker.Finding) -> String {
    "\(found.place): \(found.text)".split(separator: "\n", omittingEmptySubsequences: false)
      .map { ControlCharacters.shownInLine(String($0)) + "\n" }.joined()
  }

  /// The findings as JSON.
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

  /// The findings for one environment of a file. If `environment` is `nil`, the findings for the
  /// file itself and for each of its environments.
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
