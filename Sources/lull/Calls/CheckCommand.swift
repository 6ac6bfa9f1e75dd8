import LullHost
import LullREPL

/// `lull check FILE…`: what is wrong with API files, without asking any network.
struct CheckCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull check",
      description: """
        Loads API files without reaching any network and tells what is wrong with them: unknown
        settings, patterns that cannot match, calls with undeclared parameters or with paths that
        lead elsewhere, secrets that are written in the file. Functions that set settings are run
        once. One line each, FILE:LINE: what; exit code 1 if there are any.
        """,
      arguments: [
        .init(
          positional: "FILE", help: "API files, or APIs by name", isRequired: true,
          isRepeated: true)
      ],
      notes: """
        Examples:
          lull check apis/*.lua
          lull check github

        """)
  }

  private let words: [String]

  /// - Parameter words: what follows `check`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    self.words = try ParsedWords(words, by: CheckCommand.spec, page: .check).all("FILE")
  }

  func run() -> Int32 {
    var hasFindings = false
    var isMissing = false
    for word in words {
      guard let path = APIFileLocator.file(of: word) else {
        Exit.complain("lull: \(APIFileLocator.missing(word))\n")
        isMissing = true
        continue
      }
      // Each in a state of its own, as when it is used.
      let folder = SourceFile.folder(of: Array(path.utf8))
      var findings: [APIFileChecker.Finding] = []
      let code = CallRun.run(folder: folder, isInspecting: true) { host in
        findings = APIFileChecker.findings(
          in: path, host,
          options: (CallPage.taken(hasPages: true), CallPage.taken(hasPages: false)))
        return 0
      }
      _ = Output.write(findings.map { "\($0.place): \($0.text)\n" }.joined())
      // A signal ends all of it.
      if code > 128 { return code }
      if code != 0 || !findings.isEmpty { hasFindings = true }
    }
    return hasFindings ? 1 : isMissing ? 3 : 0
  }
}
