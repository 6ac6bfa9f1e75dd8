import Testing

@testable import LullHost

@Suite("Errors that come again and again")
struct ReportLedgerTests {
  private func report(_ message: String, place: String? = nil) -> Report {
    Report(message: message, place: place, traceback: "stack traceback:\n\tx.lua:1: in main chunk")
  }

  @Test func areShownOnceAndCounted() {
    var ledger = ReportLedger()
    var verdicts: [ReportLedger.Verdict] = []
    for _ in 0..<10_000 { verdicts.append(ledger.record(report("a\nb"), at: 0).verdict) }
    #expect(verdicts.first == .full)
    #expect(verdicts.dropFirst().allSatisfy { $0 == .counted })
    #expect(ledger.flush() == ["… and 9,999 times more: a"])
    #expect(ledger.flush() == [])
  }

  @Test func areShownInShortInOtherPlaces() {
    var ledger = ReportLedger()
    let verdicts = (0..<10).map { ledger.record(report("a", place: "hook \($0)"), at: 0).verdict }
    #expect(
      verdicts == [.full] + Array(repeating: .short, count: 5)
        + Array(repeating: .counted, count: 4))
    #expect(ledger.record(report("a", place: "hook 2"), at: 0).verdict == .counted)
    #expect(ledger.flush() == ["… and 5 times more: a"])
  }

  @Test func areToldOfWhileTheyGoOn() {
    var ledger = ReportLedger()
    #expect(ledger.record(report("a"), at: 0).due == [])
    #expect(ledger.record(report("a"), at: 9).due == [])
    #expect(ledger.record(report("a"), at: 10).due == ["… and 2 times more: a"])
    #expect(ledger.record(report("a"), at: 11).due == [])
    #expect(ledger.flush() == ["… and 1 time more: a"])
  }

  @Test func areAllShownIfTheyDiffer() {
    var ledger = ReportLedger()
    for number in 0..<1000 {
      #expect(ledger.record(report("\(number)"), at: 0).verdict == .full)
    }
    #expect(ledger.flush() == [])
  }
}
