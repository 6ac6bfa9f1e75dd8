import LullArguments
import LullClients
import LullCore
import LullHost
import LullREPL

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
          isRepeated: true),
        .init(
          names: ["-o", "--output"], placeholder: "FORMAT",
          choices: OutputFormat.names.filter { $0 != "raw" },
          help: "how it is written: a line each, unless given"),
      ],
      notes: """
        Examples:
          lull check apis/*.lua
          lull check github
          lull check apis/*.lua -o json

        """)
  }

  private let words: [String]
  private let format: OutputFormat?

  /// - Parameter words: what follows `check`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try CheckCommand.spec.read(words, for: .check)
    self.words = parsed.all("FILE")
    format = parsed.text("-o").flatMap { OutputFormat(rawValue: $0) }
  }

  func run() -> Int32 {
    LookLeave.tell()
    var hasFindings = false
    var isMissing = false
    var rows: [JSONValue] = []
    for word in words {
      guard let path = APIFileLocator.file(of: word) else {
        Exit.complain("lull: \(APIFileLocator.missing(word))\n")
        isMissing = true
        continue
      }
      let (report, code) = CheckCommand.report(on: path)
      if format == nil {
        let lines = APIFileChecker.inOrder(report.findings + report.notes)
        _ = Output.write(lines.map { "\($0.place): \($0.text)\n" }.joined())
      }
      // A signal ends all of it.
      if code > 128 { return code }
      rows += CheckCommand.rows(of: report)
      if code != 0 || !report.findings.isEmpty { hasFindings = true }
    }
    if let format, let bytes = try? JSONValue.array(rows).encode() {
      let text = ContentText(format: format, columns: [], style: .forStandardOutput())
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

  /// What is wrong with a file whatever the environment has.
  private static func report(on path: String) -> (APIFileChecker.Report, code: Int32) {
    var changed: [APIFileChecker.Finding] = []
    if let gate = LookLeave.gate(for: path) {
      let answer = report(on: path) { CallRun.look(in: $0, through: gate, $1) }
      if answer.code > 128 { return answer }
      guard let note = gate.note else { return withoutEnvironment(answer, path) }
      changed = [.init(place: SourcePlace(file: path, line: 0), text: note)]
    }
    var answer = reportInSandbox(on: path)
    answer.0.notes += changed
    return answer
  }

  /// What is wrong with it as it is may be the environment's fault, of which the sandbox knows nothing.
  private static func withoutEnvironment(
    _ answer: (APIFileChecker.Report, code: Int32), _ path: String
  ) -> (APIFileChecker.Report, code: Int32) {
    guard !answer.0.findings.isEmpty else { return answer }
    let other = reportInSandbox(on: path, isSilent: true)
    let isLess = other.0.notes.isEmpty && other.0.findings.count < answer.0.findings.count
    return other.code == 0 && isLess ? other : answer
  }

  private static func reportInSandbox(
    on path: String, isSilent: Bool = false
  ) -> (APIFileChecker.Report, code: Int32) {
    let inspection = Inspection(isSilent: isSilent)
    var (report, code) = report(on: path, inspection)
    guard code == 0, !report.findings.isEmpty, !inspection.variables.isEmpty else {
      return (report, code)
    }
    let (other, otherCode) = CheckCommand.report(
      on: path, Inspection(setsVariables: true, isSilent: true))
    let certain = report.findings.filter(other.findings.contains)
    let hasOthers = [report, other].allSatisfy { $0.findings.count > certain.count }
    report.findings = certain
    report.notes += other.notes.filter { !report.notes.contains($0) }
    if hasOthers {
      let text = APILook.note(on: inspection.variables)
      report.notes.append(.init(place: SourcePlace(file: path, line: 0), text: text))
    }
    code = otherCode
    return (report, code)
  }

  /// Each time in a state of its own, as when the file is used.
  private static func report(
    on path: String, _ inspection: Inspection
  ) -> (APIFileChecker.Report, code: Int32) {
    report(on: path) { CallRun.look(in: $0, inspection, $1) }
  }

  /// By a way of looking, which is given the file's folder.
  static func report(
    on path: String, _ look: ([UInt8], (LuaHost) -> Int32) -> Int32
  ) -> (APIFileChecker.Report, code: Int32) {
    var report = APIFileChecker.Report()
    let code = look(SourceFile.folder(of: Array(path.utf8))) { host in
      report = APIFileChecker.report(
        on: path, host,
        options: (CallPage.taken(hasPages: true), CallPage.taken(hasPages: false)))
      return 0
    }
    return (report, code)
  }
}
