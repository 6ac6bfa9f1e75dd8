import LullClients
import LullCore
import LullHost
import LullREPL

/// Inspects an API file within limits. A trusted file, or one in the user's own configuration
/// folder, runs without a sandbox. Any other file runs in the sandbox, with stand-ins for secrets
/// and environment variables.
///
/// Used by features that load files the user has not asked to run: lists, completion and help.
struct APIInspection {
  enum Outcome {
    case seen
    /// The validity of the file can be determined only by running the file without restrictions.
    /// The value is a note for the user that names the file and the reason.
    case needs(String)
    /// The file is a module, not an API. The value is a message that reports this.
    case module(String)
    /// The inspection failed. The values are the error report and the exit code.
    case wrong(String, Int32)
    /// A signal ended the inspection. The value is the exit code.
    case ended(Int32)
  }

  private let path: String
  /// The environment to inspect the file in. If it is `nil`, the file is inspected without an
  /// environment, unless `usesVariable` is set and `LULL_ENV` names one.
  private let environment: String?
  private let usesVariable: Bool
  private let isSilent: Bool
  private let isPatient: Bool

  /// - Parameters:
  ///   - usesVariable: Whether `LULL_ENV` selects the environment.
  ///   - isSilent: Whether nothing is shown, as in completion. The time limit is then shorter,
  ///     unless `isPatient` is set.
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

  /// Inspects the API named by `word`. The environment comes from the word or from `LULL_ENV`. The
  /// result is `nil` if no API has that name.
  init?(of word: String, isSilent: Bool = false) {
    guard let path = APIFileLocator.file(of: word) else { return nil }
    self.init(
      path, environment: APIName(word).environment, usesVariable: true, isSilent: isSilent)
  }

  /// Passes the API to `body`, which must not write any output. If `body` throws because the API
  /// has an invalid call, the file is reported as faulty.
  func inspect(_ body: (APIFile) throws(APIFileProblem) -> Void) -> Outcome {
    if let gate = TrustDecision.gate(for: path) {
      let outcome = outcome(through: gate, body)
      if case .ended = outcome { return outcome }
      if let note = gate.note {
        if !isSilent { Exit.complain("lull: \(path) \(note)\n") }
      } else {
        guard case .wrong = outcome else { return outcome }
        // The error may come from an environment variable, which is not set in the sandbox.
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
    // The error may be about a variable that counts as not set.
    let (second, _) = outcome(Inspection(setsVariables: true, isSilent: true), body)
    guard case .wrong(let other, _) = second else { return second }
    return report == other ? first : .needs("\(path): \(APIInspection.note(on: variables))")
  }

  /// Passes the API to `body` in the sandbox, where either all environment variables count as set,
  /// or all as not set. Also returns the names of the variables that the file read.
  func inspectInSandbox(
    settingVariables: Bool, _ body: (APIFile) throws(APIFileProblem) -> Void
  ) -> (Outcome, variables: [String]) {
    outcome(Inspection(setsVariables: settingVariables, isSilent: isSilent), body)
  }

  /// The note for a file whose validity depends on environment variables.
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
      // Discard the results of an inspection that was refused before its end.
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
      // Look the API up by path: a folder that is searched earlier may contain an API of the same
      // name.
      let word = path + (environment.map { "@\($0)" } ?? "")
      try body(try files.api(word, usesVariable: usesVariable))
      return .seen
    } catch {
      if case .module = error { return .module(files.describe(error)) }
      return error.need.map { .needs($0) } ?? .wrong(files.describe(error), error.exitCode)
    }
  }

  /// The limits of an inspection. If a call of the Lua library does not return in time, the command
  /// ends with an error that names the inspected file.
  private var limits: ScriptLimits {
    var limits = isPatient ? Inspection.limits : Inspection.shortLimits
    limits.subject = path.utf8.count <= 100 ? path : "'\(path.suffix(90))'"
    return limits
  }
  private var folder: [UInt8] { SourceFile.folder(of: Array(path.utf8)) }
}
