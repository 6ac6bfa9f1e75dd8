import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct LogTests {
  private let pump = Pump(clock: ManualClock())
  private var log: Log { pump.log }

  @Test func `LOG-01 the categories`() {
    #expect(
      Log.Category.allCases.map(\.rawValue) == [
        "network", "network_details", "pipeline", "state_changes", "observers", "staleness",
        "cache", "configuration",
      ])
  }

  @Test(
    arguments: [
      ("common", [.network, .stateChanges, .staleness]),
      ("detailed", Set(Log.Category.allCases).subtracting([.networkDetails])),
      ("all", Set(Log.Category.allCases)), ("network_details", [.networkDetails]),
      ("networkDetails", nil), ("", nil),
    ] as [(String, Set<Log.Category>?)])
  func `LOG-03 presets and category names`(name: String, categories: Set<Log.Category>?) {
    #expect(Log.categories(named: name) == categories)
  }

  @Test func `LOG-02 LOG-04 LOG-05 a handler gets enabled categories; others are not evaluated`() {
    let journal = Journal()
    var evaluations = 0
    func message() -> String {
      evaluations += 1
      return "text\nand more"
    }
    log.messageHandler = { journal("\($0.rawValue): \($1)") }
    #expect(log.enabled.isEmpty)
    log(.network, message())
    log.enabled = [.pipeline]
    log(.network, message())
    #expect(evaluations == 0)
    log(.pipeline, message())
    #expect(evaluations == 1)
    #expect(journal.take() == ["pipeline: text\nand more"])
  }

  @Test func `a load's life is logged by category`() {
    withHarness { harness in
      let journal = Journal()
      harness.pump.log.enabled = [.stateChanges, .staleness, .observers]
      harness.pump.log.messageHandler = { journal("\($0.rawValue): \($1)") }
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.loadIfNeeded()
      resource.loadIfNeeded()
      harness.settle()
      resource.loadIfNeeded()
      resource.removeObservers(ownedBy: recorder)
      #expect(
        journal.take() == [
          "observers: /a: EventRecorder observes",
          "staleness: /a: stale: there is neither data nor error", "staleness: /a: loading",
          "staleness: /a: not loading: a load is in progress",
          "state_changes: /a [D]: newData(network)",
          "staleness: /a: not loading: the data is 0.0 s old, expiration time 30.0 s",
          "observers: /a: EventRecorder has stopped observing",
        ])
    }
  }
}
