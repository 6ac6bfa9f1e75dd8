import CLullLedger
import LullCore
import Testing

/// The rule, and what holds where nobody has set a limit: in this process.
@Suite(.timeLimit(.minutes(20))) struct MemoryLedgerTests {
  private func allows(_ more: Int, of most: Int64, after grown: Int64) -> Bool {
    lull_ledger_allows(most, grown, more) != 0
  }

  @Test func `MEM-05 what there is and what is asked for together keep to what there may be`() {
    #expect(allows(0, of: 0, after: 0))
    #expect(allows(100, of: 100, after: 0))
    #expect(!allows(101, of: 100, after: 0))
    #expect(allows(40, of: 100, after: 60))
    #expect(!allows(41, of: 100, after: 60))
    #expect(allows(0, of: 100, after: 100))
    #expect(!allows(1, of: 100, after: 100))
  }

  @Test func `MEM-05 what was there before and has gone leaves more room`() {
    #expect(allows(150, of: 100, after: -50))
    #expect(!allows(151, of: 100, after: -50))
  }

  @Test func `MEM-05 nothing more may be made beyond it, and no size overflows`() {
    #expect(!allows(0, of: 100, after: 101))
    #expect(!allows(Int.max, of: 100, after: 0))
    #expect(!allows(-1, of: Int64.max, after: 0))
    #expect(allows(Int.max, of: Int64.max, after: 0))
    #expect(!allows(Int.max, of: Int64.max, after: 1))
  }

  @Test func `MEM-04 without a limit everything may be made, and arrays grow by themselves`() {
    #expect(lull_ledger_is_kept() == 0)
    #expect(MemoryLedger.allows(Int.max))
    #expect(MemoryLedger.hasRoom(for: Int.max))
    var bytes: [UInt8] = []
    #expect(MemoryLedger.reserve(1 << 40, in: &bytes))
    #expect(bytes.capacity == 0)
    #expect(lull_ledger_has_refused() == 0)
  }
}
