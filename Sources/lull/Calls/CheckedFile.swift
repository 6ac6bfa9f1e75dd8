import LullClients
import LullCore
import LullHost
import LullREPL

/// A file to check, with or without one of its environments.
struct CheckedFile {
  let path: String
  /// The environment to check. `nil`: the file without an environment.
  let environment: String?

  /// The findings that do not depend on environment variables.
  var outcome: (APIFileChecker.Report, code: Int32) {
    var changed: [APIFileChecker.Finding] = []
    if let gate = TrustDecision.gate(for: path) {
      let answer = inspect { CallRun.inspect(in: $0, through: gate, $1) }
      if answer.code > 128 { return answer }
      guard let note = gate.note else { return withoutVariables(answer) }
      changed = [.init(place: SourcePlace(file: path, line: 0), text: note)]
    }
    var answer = reportInSandbox()
    answer.0.notes += changed
    return answer
  }

  /// Repeats the check in the sandbox, which does not set environment variables. If the repeated
  /// check finds fewer problems, the other problems were caused by variables.
  private func withoutVariables(_ answer: (APIFileChecker.Report, code: Int32)) -> (
    APIFileChecker.Report, code: Int32
  ) {
    guard !answer.0.findings.isEmpty else { return answer }
    let other = reportInSandbox(isSilent: true)
    let isLess = other.0.notes.isEmpty && other.0.findings.count < answer.0.findings.count
    return other.code == 0 && isLess ? other : answer
  }

  private func reportInSandbox(
    isSilent: Bool = false
  ) -> (APIFileChecker.Report, code: Int32) {
    let inspection = Inspection(isSilent: isSilent)
    var (report, code) = self.report(inspection)
    guard code == 0, !report.findings.isEmpty, !inspection.variables.isEmpty else {
      return (report, code)
    }
    let (other, otherCode) = self.report(
      Inspection(setsVariables: true, isSilent: true))
    let certain = report.findings.filter(other.findings.contains)
    let hasOthers = [report, other].allSatisfy { $0.findings.count > certain.count }
    report.findings = certain
    report.notes += other.notes.filter { !report.notes.contains($0) }
    if hasOthers {
      let text = APIInspection.note(on: inspection.variables)
      report.notes.append(.init(place: SourcePlace(file: path, line: 0), text: text))
    }
    code = otherCode
    return (report, code)
  }

  /// Loads the file in a separate Lua state, in the same way as for normal use, and checks it.
  private func report(_ inspection: Inspection) -> (APIFileChecker.Report, code: Int32) {
    inspect { CallRun.inspect(in: $0, inspection, $1) }
  }

  /// Runs a check of this file in a new Lua state.
  ///
  /// - Parameter inspect: Runs the check. Its argument is the file's folder.
  func inspect(
    _ inspect: ([UInt8], (LuaHost) -> Int32) -> Int32
  ) -> (APIFileChecker.Report, code: Int32) {
    var report = APIFileChecker.Report()
    let code = inspect(SourceFile.folder(of: Array(path.utf8))) { host in
      report = APIFileChecker.report(
        on: path, in: environment, host,
        options: (CallPage.taken(hasPages: true), CallPage.taken(hasPages: false)))
      return 0
    }
    return (report, code)
  }
}
