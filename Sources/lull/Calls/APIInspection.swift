import LullClients
import LullCore
import LullHost
import LullREPL

/// Looks at an API file, within limits: where it is the user's own, or trusted, as it is, else in the
/// sandbox, with stand-ins for secrets and the environment.
///
/// For what is done with files that nobody has asked to be run: lists, completion, help.
struct APIInspection {
  enum Outcome {
    case seen
    /// In words, with the place: what cannot be told without running the file.
    case needs(String)
    /// It is no API but a module, in words.
    case module(String)
    /// A report, and the exit code.
    case wrong(String, Int32)
    /// By a signal, with this exit code.
    case ended(Int32)
  }

  private let path: String
  /// nil: none, unless `LULL_ENV` names one and counts.
  private let environment: String?
  private let usesVariable: Bool
  private let isSilent: Bool
  private let isPatient: Bool

  /// - Parameters:
  ///   - usesVariable: whether `LULL_ENV` counts.
  ///   - isSilent: for completion: it shows nothing, and waits for less, unless it is patient.
  init(
    _ path: String, environment: String? = nil, usesVariable: Bool = false, isSilent: Bool = false,
    isPatient: Bool = false
  ) {
    self.path = path
    self.environment = environment
    self.usesVariable = usesVariable
    self.isSilent = isSilent
    self.isPatient = isPatient || !isSilent
  }

  /// That of a word that names an API, as it is used.
  init?(of word: String, isSilent: Bool = false) {
    guard let path = APIFileLocator.file(of: word) else { return nil }
    self.init(
      path, environment: APIName(word).environment, usesVariable: true, isSilent: isSilent)
  }

  /// Gives the API to `body`, which must not write. What is wrong with a call that it asks for is wrong with the file.
  func inspect(_ body: (APIFile) throws(APIFileProblem) -> Void) -> Outcome {
    if let gate = TrustDecision.gate(for: path) {
      let outcome = outcome(through: gate, body)
      if case .ended = outcome { return outcome }
      if let note = gate.note {
        if !isSilent { Exit.complain("lull: \(path) \(note)\n") }
      } else {
        guard case .wrong = outcome else { return outcome }
        // It may be the environment's fault, of which the sandbox knows nothing.
        let other = APIInspection(
          path, environment: environment, usesVariable: usesVariable, isSilent: true
        ).inspectInSandbox(body)
        if case .seen = other { return other }
        return outcome
      }
    }
    return inspectInSandbox(body)
  }

  func inspectInSandbox(_ body: (APIFile) throws(APIFileProblem) -> Void) -> Outcome {
    let (first, variables) = outcome(Inspection(isSilent: isSilent), body)
    guard case .wrong(let report, _) = first, !variables.isEmpty else { return first }
    // It may be about a variable that counts as not set.
    let (second, _) = outcome(Inspection(setsVariables: true, isSilent: true), body)
    guard case .wrong(let other, _) = second else { return second }
    return report == other ? first : .needs("\(path): \(APIInspection.note(on: variables))")
  }

  /// Gives the API to `body` in the sandbox, with variables that all count as set, or as not set; and those that the
  /// file has asked for.
  func inspectInSandbox(
    settingVariables: Bool, _ body: (APIFile) throws(APIFileProblem) -> Void
  ) -> (Outcome, variables: [String]) {
    outcome(Inspection(setsVariables: settingVariables, isSilent: isSilent), body)
  }

  /// What is said of a file that is one thing or another by variables of the environment.
  static func note(on variables: [String]) -> String {
    let names = variables.map { "'\($0)'" }.joined(separator: ", ")
    let noun = variables.count == 1 ? "variable" : "variables"
    return "not checked further: needs the environment \(noun) \(names)"
  }

  private func outcome(
    _ inspection: Inspection, _ body: (APIFile) throws(APIFileProblem) -> Void
  ) -> (Outcome, variables: [String]) {
    var outcome = Outcome.seen
    let code = CallRun.inspect(in: folder, inspection, limits: limits) { host in
      outcome = self.outcome(in: host, body)
      return 0
    }
    if code > 128 { outcome = .ended(code) }
    return (outcome, inspection.variables)
  }

  func outcome(
    through gate: LoadGate, _ body: (APIFile) throws(APIFileProblem) -> Void
  ) -> Outcome {
    var outcome = Outcome.seen
    let code = CallRun.inspect(in: folder, through: gate, limits: limits) { host in
      // Of what is not looked at to its end nothing is taken.
      outcome = self.outcome(in: host) { api throws(APIFileProblem) in
        if gate.refusal == nil { try body(api) }
      }
      return 0
    }
    if code > 128 { outcome = .ended(code) }
    return outcome
  }

  private func outcome(
    in host: LuaHost, _ body: (APIFile) throws(APIFileProblem) -> Void
  ) -> Outcome {
    let files = host.part(APIFiles.self)
    do throws(APIFileProblem) {
      // By path: the name may be taken by a folder before.
      let word = path + (environment.map { "@\($0)" } ?? "")
      try body(try files.api(word, usesVariable: usesVariable))
      return .seen
    } catch {
      if case .module = error { return .module(files.describe(error)) }
      return error.need.map { .needs($0) } ?? .wrong(files.describe(error), error.exitCode)
    }
  }

  /// A call of Lua's library that does not end ends the command, which then says what it was.
  private var limits: ScriptLimits {
    var limits = isPatient ? Inspection.limits : Inspection.shortLimits
    limits.subject = path.utf8.count <= 100 ? path : "'\(path.suffix(90))'"
    return limits
  }
  private var folder: [UInt8] { SourceFile.folder(of: Array(path.utf8)) }
}
