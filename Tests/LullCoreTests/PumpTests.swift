import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct PumpTests {
  private let pump = Pump(clock: ManualClock())
  private let journal = Journal()

  @Test func `HOOK-06 what is deferred during a phase waits for the next`() {
    #expect(!pump.hasWork)
    pump.enqueue { [pump, journal] in
      journal("1")
      pump.enqueue { journal("3") }
    }
    pump.enqueue { [journal] in journal("2") }
    #expect(pump.hasWork)
    #expect(journal.take() == [])
    pump.turn()
    #expect(journal.take() == ["1", "2"])
    pump.turn()
    #expect(journal.take() == ["3"])
    #expect(!pump.hasWork)
    pump.turn()
    #expect(journal.take() == [])
  }

  @Test func `THR-04 a turn delivers results first, then what they deferred`() {
    let completion = pump.completion { [pump, journal] result in
      journal("result \(result.body?.count ?? 0)")
      pump.enqueue { journal("deferred") }
    }
    pump.enqueue { [journal] in journal("earlier") }
    completion(NetworkResult(body: [1, 2]))
    #expect(journal.take() == [], "NET-06: never inside the report")
    #expect(pump.hasWork)
    pump.turn()
    #expect(journal.take() == ["result 2", "earlier", "deferred"])
  }

  @Test func `NET-02 the second report of an exchange is ignored`() {
    let completion = pump.completion { [journal] _ in journal("result") }
    completion(NetworkResult())
    completion(NetworkResult())
    pump.turn()
    completion(NetworkResult())
    pump.turn()
    #expect(journal.take() == ["result"])
  }

  @Test func `CXL-03 a discarded channel delivers nothing, also if the report is there already`() {
    let completion = pump.completion { [journal] _ in journal("result") }
    completion(NetworkResult())
    pump.discard(completion)
    pump.turn()
    #expect(journal.take() == [])
  }

  @Test func `a channel holds its receiver until it has reported or is discarded`() {
    let leakCheck = LeakCheck()
    func open() -> NetworkCompletion {
      let owner = leakCheck.watch(Owner())
      return pump.completion { _ in _ = owner }
    }
    let first = open()
    let second = open()
    #expect(leakCheck.leaks.count == 2)
    first(NetworkResult())
    pump.turn()
    pump.discard(second)
    #expect(leakCheck.leaks == [])
  }

  @Test func `after closing nothing is called, and nothing is kept`() {
    let leakCheck = LeakCheck()
    func fill() -> NetworkCompletion {
      let owner = leakCheck.watch(Owner())
      pump.enqueue { _ = owner }
      return pump.completion { _ in _ = owner }
    }
    let before = fill()
    before(NetworkResult())
    pump.close()
    let after = fill()
    after(NetworkResult())
    #expect(!pump.hasWork)
    #expect(leakCheck.leaks == [])
    pump.turn()
  }

  @Test func `closing inside a phase ends it`() {
    pump.enqueue { [pump] in pump.close() }
    pump.enqueue { [journal] in journal("late") }
    pump.turn()
    #expect(journal.take() == [])
  }

  @Test func `THR-03 HOOK-11 what a report leads to runs on the thread that turns the pump`() async
  {
    let reported = await withCheckedContinuation {
      (continuation: CheckedContinuation<Bool, Never>) in
      let completion = pump.completion { [journal] _ in journal("result") }
      Task.detached {
        completion(NetworkResult())
        continuation.resume(returning: true)
      }
    }
    #expect(reported)
    #expect(journal.take() == [], "not on the thread that reports")
    pump.turn()
    #expect(journal.take() == ["result"])
  }
}
