import LullArguments
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

extension Command {
  static let trust = Command(
    "trust", "let completion and checks run API files", .describe,
    forms: [("trust [PATH …]", "let completion and checks run API files")], briefForms: 0,
    spec: { TrustCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try TrustCommand(words.dropFirst()).run() }
}

/// `lull trust [PATH…]`: selects API files that inspections may run without a sandbox.
struct TrustCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull trust",
      description: """
        Lets completion, lull apis, lull check and lull call --help run API files.

        These commands run trusted files with all rights except network access, and
        other files in the sandbox. Files of your configuration folder need no trust.
        Requests and scripts run the files they name, trusted or not.

        PATH is an API file, an API by name, or a folder with API files (default
        ./apis). Each file runs once to find the files it loads. Trust covers the
        contents of all these files: a changed file is no longer trusted. The record is
        lull/trust.json in $XDG_STATE_HOME or ~/.local/state.
        """,
      arguments: [
        .init(
          positional: "PATH", help: "API files, APIs by name, or folders.", isRequired: false,
          isRepeated: true),
        .init(
          "--list", kind: .flag, help: "List trusted files and whether they have changed.",
          rules: [.conflicts("--remove")]),
        .init("--remove", kind: .flag, help: "Remove trust in these files."),
        listFormat,
      ],
      examples: [
        "lull trust",
        "lull trust apis/shop.lua",
        "lull trust --list",
        "lull trust --remove apis",
      ])
  }

  private enum Action {
    case trust
    case remove
    case list(OutputFormat)
  }

  private let action: Action
  let words: [String]

  /// - Parameter words: The arguments after `trust`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try TrustCommand.spec.read(words, for: .trust)
    self.words = parsed.all("PATH")
    let format = OutputFormat(parsed)
    if parsed.has("--list") {
      guard self.words.isEmpty else {
        throw .wrongUsage("--list lists all trusted files: it takes no PATH", .trust)
      }
      action = .list(format ?? .table)
    } else if parsed.has("--remove") {
      guard !self.words.isEmpty else {
        throw .wrongUsage("--remove needs a PATH", .trust)
      }
      action = .remove
    } else {
      action = .trust
    }
  }

  private static var listFormat: Argument {
    var format = OptionTable.format(standard: "table")
    format.rules = [.needs("--list")]
    return format
  }

  /// - Returns: The exit code.
  func run() -> Int32 {
    do throws(TokenFile.Problem) {
      switch action {
      case .trust: return try trust()
      case .remove: return try remove()
      case .list(let format): return try list(format)
      }
    } catch {
      Exit.complain("lull: \(error.message)\n")
      return 1
    }
  }

  // MARK: Trusting

  private func trust() throws(TokenFile.Problem) -> Int32 {
    var code: Int32 = 0
    var hasSpoken = false
    var trusted: [(file: TrustTarget.File, digests: TrustRecord.Digests)] = []
    for word in words.isEmpty ? ["apis"] : words {
      let target = TrustTarget(word)
      guard let files = target.files else {
        Exit.complain("lull: \(target.missing)\n")
        code = 3
        hasSpoken = true
        continue
      }
      for file in files {
        switch TrustCommand.inspect(at: file, isNamed: !target.isFolder) {
        case .success(let digests?): trusted.append((file, digests))
        case .success(nil): break
        case .failure(let refusal):
          if refusal.code > 128 { return refusal.code }
          Exit.complain(refusal.report)
          hasSpoken = true
          if refusal.code != 0 { code = refusal.code }
        }
      }
    }
    guard !trusted.isEmpty else {
      if !hasSpoken { Exit.complain("lull: there are no API files to be trusted\n") }
      return code
    }
    try TrustRecord.update { record in
      for (file, digests) in trusted { record.trust(file.real, digests) }
    }
    for (file, digests) in trusted {
      let others = digests.count - 1
      let loads =
        others == 0 ? "" : ", and \(others) \(others == 1 ? "file" : "files") that it loads"
      _ = Output.write("trusted: \(file.path)\(loads)\n")
    }
    return code
  }

  private struct Refusal: Error {
    var report: String
    var code: Int32
  }

  /// Inspects an API file and returns the digests of all files that it loads. `nil` if trusting the
  /// API file has no effect.
  private static func inspect(
    at file: TrustTarget.File, isNamed: Bool
  ) -> Result<TrustRecord.Digests?, Refusal> {
    if TrustDecision.ownFolder(of: file.real) != nil {
      guard isNamed else { return .success(nil) }
      let text = "\(file.path) needs no trust: it is in your own configuration folder"
      return .failure(Refusal(report: "lull: \(text)\n", code: 0))
    }
    let gate = LoadGate(.recording, path: file.path, real: file.real)
    let inspection = APIInspection(file.path, isSilent: true)
    var outcome = inspection.inspectInSandbox { _ in }
    // In the sandbox, the file may lack a C module that is next to it.
    if case .wrong = outcome { outcome = inspection.outcome(through: gate) { _ in } }
    switch outcome {
    case .seen, .needs: break
    // A module is trusted together with the file that loads it.
    case .module where !isNamed: return .success(nil)
    case .module(let report): return .failure(Refusal(report: report, code: 1))
    case .wrong(let report, let code): return .failure(Refusal(report: report, code: code))
    case .ended(let code): return .failure(Refusal(report: "", code: code))
    }
    let (_, code) = CheckedFile(path: file.path, environment: nil).inspect {
      CallRun.inspect(in: $0, through: gate, $1)
    }
    if code > 128 { return .failure(Refusal(report: "", code: code)) }
    if let refusal = gate.refusal {
      return .failure(Refusal(report: "lull: \(file.path) \(refusal)\n", code: 1))
    }
    guard gate.digests[file.real] != nil else {
      return .failure(Refusal(report: "lull: \(file.path) cannot be read\n", code: 3))
    }
    return .success(gate.digests)
  }
}

extension TrustCommand {
  func remove() throws(TokenFile.Problem) -> Int32 {
    var removed: [String] = []
    var code: Int32 = 0
    let words = words
    try TrustRecord.update { record in
      for word in words {
        let target = TrustTarget(word)
        let meant = record.files.keys.filter(target.covers).sorted()
        if meant.isEmpty {
          Exit.complain("lull: '\(word)' has no trusted files\n")
          code = 1
        }
        for path in meant { record.remove(path) }
        removed += meant
      }
    }
    _ = Output.write(removed.map { "no longer trusted: \($0)\n" }.joined())
    return code
  }

  func list(_ format: OutputFormat) throws(TokenFile.Problem) -> Int32 {
    let record = try TrustRecord.read()
    if record.files.isEmpty { Exit.complain("lull: nothing is trusted\n") }
    let rows = record.files.sorted { $0.key < $1.key }.map { path, digests -> JSONValue in
      .object([
        .init("path", .string(path)), .init("loads", .int(digests.count - 1)),
        .init("state", .string(TrustCommand.state(of: digests) ?? "trusted")),
      ])
    }
    guard let bytes = try? JSONValue.array(rows).encode() else { return 1 }
    let text = ContentText(format: format, columns: [], style: .forStandardOutput())
    _ = Output.write(text.bytes(of: JSONText(valid: bytes)))
    return 0
  }

  /// Describes how the files differ from their trusted versions. `nil` if there is no difference.
  static func state(of digests: TrustRecord.Digests) -> String? {
    for (path, digest) in digests.sorted(by: { $0.key < $1.key }) {
      switch TextFile.read(Array(path.utf8), limit: LoadGate.largest) {
      case .failure: return "gone: \(path)"
      case .success(let bytes):
        if TrustRecord.digest(of: bytes) != digest { return "changed: \(path)" }
      }
    }
    return nil
  }
}
