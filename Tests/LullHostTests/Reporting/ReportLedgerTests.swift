import Testing

@testable import LullHost

@Suite("Errors that come again and again", .timeLimit(.minutes(20)))
struct ReportLedgerTests {
  private func report(_ message: String, place: String? = nil) -> Report {
    Report(message: message, place: place, traceback: "stack traceback:\n\tx.lua:1: in main chunk")
  }

  @Test func `are shown once and counted`() {
    var ledger = ReportLedger()
    var verdicts: [ReportLedger.Verdict] = []
    for _ in 0..<10_000 { verdicts.append(ledger.record(report("a\nb"), at: 0).verdict) }
    #expect(verdicts.first == .full)
    #expect(verdicts.dropFirst().allSatisfy { $0 == .counted })
    let counts = ledger.flush()
    #expect(counts == ["… and 9,999 times more: a"])
    let rest = ledger.flush()
    #expect(rest == [])
  }

  @Test func `are shown in short in other places`() {
    var ledger = ReportLedger()
    let verdicts = (0..<10).map { ledger.record(report("a", place: "hook \($0)"), at: 0).verdict }
    #expect(
      verdicts == [.full] + Array(repeating: .short, count: 5)
        + Array(repeating: .counted, count: 4))
    let again = ledger.record(report("a", place: "hook 2"), at: 0).verdict
    #expect(again == .counted)
    let counts = ledger.flush()
    #expect(counts == ["… and 5 times more: a"])
  }

  @Test func `are told of while they go on`() {
    var ledger = ReportLedger()
    let due = [0, 9, 10, 11].map { ledger.record(report("a"), at: $0).due }
    #expect(due == [[], [], ["… and 2 times more: a"], []])
    let counts = ledger.flush()
    #expect(counts == ["… and 1 time more: a"])
  }

  @Test func `are all shown if they differ`() {
    var ledger = ReportLedger()
    for number in 0..<1000 {
      let verdict = ledger.record(report("\(number)"), at: 0).verdict
      #expect(verdict == .full)
    }
    let counts = ledger.flush()
    #expect(counts == [])
  }
}
