import LullCore
import LullSystem

/// One page for people, which needs no network and no script, written whole when all has ended: what failed and why,
/// what each test has sent in its time, and what it has printed.
final class HTMLReport: ProofFileReport {
  private let path: String
  private let complain: (String) -> Void
  private var outcomes: [ProofOutcome] = []
  private(set) var hasFailed = false

  init(_ path: String, _ complain: @escaping (String) -> Void) {
    self.path = path
    self.complain = complain
  }

  func ended(_ outcome: ProofOutcome) { outcomes.append(outcome) }

  func finish(_ summary: ProofSummary, isInterrupted: Bool) {
    let page = ProofPage(outcomes, summary, isInterrupted: isInterrupted, at: SystemClock.now)
    guard let problem = HTMLReport.problem(writing: page.text, to: path) else { return }
    hasFailed = true
    complain(problem)
  }
}
