import LullArguments
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

extension Command {
  static let trust = Command(
    "trust", "have API files run as they are where they are only looked at", .requests,
    forms: [("trust [PATH …]", "let Tab, lull apis and lull check run API files as they are")],
    spec: { TrustCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try TrustCommand(words.dropFirst()).run() }
}

/// `lull trust [PATH…]`: which API files may be run as they are by what only looks at them.
struct TrustCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull trust",
      description: """
        Has API files run as they are, with all rights but the network, by what only looks at them:
        completion in shells, lull apis, lull check and help of lull call. Without it they run in the
        sandbox there; those of your own configuration folder need no trust. lull call, the verbs and
        scripts run what they name, trusted or not.

        PATH is an API file, an API by name, or a folder: all API files in it, or in the folder apis in
        it; without any it is ./apis. Each is run for that once, to find out what it loads. Trust is in
        what these files hold, and in all that they load: what has changed is not trusted any more.

        The record is lull/trust.json in $XDG_STATE_HOME or ~/.local/state, for its owner alone.
        """,
      arguments: [
        .init(
          positional: "PATH", help: "API files, APIs by name, folders", isRequired: false,
          isRepeated: true),
        .init(
          names: ["--list"], kind: .flag,
          help: "list what is trusted, and whether it has changed since"),
        .init(names: ["--remove"], kind: .flag, help: "trust these files no more"),
        OutputFormat.argument("how the list is written: table, unless given"),
      ],
      notes: """
        Examples:
          lull trust
          lull trust apis/shop.lua
          lull trust --list
          lull trust --remove apis

        """)
  }

  private enum Action {
    case trust
    case remove
    case list(OutputFormat)
  }

  private let action: Action
  let words: [String]

  /// - Parameter words: what follows `trust`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try TrustCommand.spec.read(words, for: .trust)
    self.words = parsed.all("PATH")
    let format = OutputFormat(parsed)
    switch (parsed.has("--list"), parsed.has("--remove")) {
    case (true, true): throw .wrongUsage("--list and --remove do not go together", .trust)
    case (true, false):
      guard self.words.isEmpty else {
        throw .wrongUsage("--list lists all there is: it takes no PATH", .trust)
      }
      action = .list(format ?? .table)
      return
    case (false, true):
      guard !self.words.isEmpty else {
        throw .wrongUsage("--remove needs a PATH: what is to be trusted no more?", .trust)
      }
      action = .remove
    case (false, false): action = .trust
    }
    guard format == nil else { throw .wrongUsage("-o goes with --list", .trust) }
  }

  /// - Returns: the exit code.
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
        switch TrustCommand.look(at: file, isNamed: !target.isFolder) {
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

  /// What a file loads; nil of one that there is no point in trusting.
  private static func look(
    at file: TrustTarget.File, isNamed: Bool
  ) -> Result<TrustRecord.Digests?, Refusal> {
    if LookLeave.ownFolder(of: file.real) != nil {
      guard isNamed else { return .success(nil) }
      let text = "\(file.path) needs no trust: it is in your own configuration folder"
      return .failure(Refusal(report: "lull: \(text)\n", code: 0))
    }
    let gate = LookGate(.recording, path: file.path, real: file.real)
    let look = APILook(file.path, isSilent: true)
    var outcome = look.lookInSandbox { _ in }
    // It may lack a module of C there, which is beside it.
    if case .wrong = outcome { outcome = look.outcome(through: gate) { _ in } }
    switch outcome {
    case .seen, .needs: break
    // A module is trusted with what loads it.
    case .module where !isNamed: return .success(nil)
    case .module(let report): return .failure(Refusal(report: report, code: 1))
    case .wrong(let report, let code): return .failure(Refusal(report: report, code: code))
    case .ended(let code): return .failure(Refusal(report: "", code: code))
    }
    let (_, code) = CheckedFile(path: file.path, environment: nil).look {
      CallRun.look(in: $0, through: gate, $1)
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
