import LullClients
import LullCore
import LullHost
import LullREPL

/// Looks at an API file without running it as it is: in the sandbox, with stand-ins for secrets and the
/// environment, and within limits.
///
/// For what is done with files that nobody has asked to be run: lists, completion, help.
struct APILook {
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
  private let isSilent: Bool

  /// - Parameter isSilent: for completion: it shows nothing, and waits for less.
  init(_ path: String, isSilent: Bool = false) {
    self.path = path
    self.isSilent = isSilent
  }

  /// Gives the API to `body`, which must not write.
  func look(_ body: (APIFile) -> Void) -> Outcome {
    let (first, variables) = outcome(Inspection(isSilent: isSilent), body)
    guard case .wrong(let report, _) = first, !variables.isEmpty else { return first }
    // It may be about a variable that counts as not set.
    let (second, _) = outcome(Inspection(setsVariables: true, isSilent: true), body)
    guard case .wrong(let other, _) = second else { return second }
    return report == other ? first : .needs("\(path): \(APILook.note(on: variables))")
  }

  /// What is said of a file that is one thing or another by variables of the environment.
  static func note(on variables: [String]) -> String {
    let names = variables.map { "'\($0)'" }.joined(separator: ", ")
    let noun = variables.count == 1 ? "variable" : "variables"
    return "not checked further: needs the environment \(noun) \(names)"
  }

  private func outcome(
    _ inspection: Inspection, _ body: (APIFile) -> Void
  ) -> (Outcome, variables: [String]) {
    var outcome = Outcome.seen
    let limits = isSilent ? Inspection.shortLimits : Inspection.limits
    let folder = SourceFile.folder(of: Array(path.utf8))
    let code = CallRun.look(in: folder, inspection, limits: limits) { host in
      let files = host.part(APIFiles.self)
      do throws(APIFileProblem) {
        // By path: the name may be taken by a folder before.
        body(try files.api(path))
      } catch {
        outcome =
          if case .module = error {
            .module(files.describe(error))
          } else {
            error.need.map { .needs($0) } ?? .wrong(files.describe(error), error.exitCode)
          }
      }
      return 0
    }
    if code > 128 { outcome = .ended(code) }
    return (outcome, inspection.variables)
  }
}
