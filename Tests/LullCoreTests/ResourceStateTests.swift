import LullCore
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ResourceStateTests {
  @Test func `STA-01 a new state is blank, and so is its timestamp`() {
    let state = ResourceState()
    #expect(state.latestData == nil)
    #expect(state.latestError == nil)
    #expect(state.timestamp == 0)
    #expect(!state.isInvalidated)
    #expect(state.condition == nil)
  }

  // MARK: Staleness

  struct Age: CustomTestStringConvertible {
    let id: String
    var data: Double?
    var error: Double?
    var invalidated = false
    let isUpToDate: Bool

    var testDescription: String { id }
  }

  static let ages = [
    Age(id: "LOAD-18: data 10 s old", data: 1000, isUpToDate: true),
    Age(id: "LOAD-19: data 1000 s old", data: 10, isUpToDate: false),
    Age(id: "LOAD-21: data exactly at the limit", data: 980, isUpToDate: true),
    Age(id: "LOAD-20: data just beyond the limit", data: 979.9, isUpToDate: false),
    Age(id: "LOAD-22: an error 1000 s old", error: 10, isUpToDate: false),
    Age(id: "LOAD-23: an error 2 s old", error: 1008, isUpToDate: false),
    Age(id: "LOAD-21: an error exactly at the limit", error: 1009, isUpToDate: true),
    Age(id: "LOAD-25: neither data nor error", isUpToDate: false),
    Age(
      id: "LOAD-26: fresh data, error past retry time", data: 1005, error: 1008,
      isUpToDate: false),
    Age(id: "LOAD-26: stale data, recent error", data: 10, error: 1009.5, isUpToDate: true),
    Age(id: "INV-02: fresh data, invalidated", data: 1010, invalidated: true, isUpToDate: false),
    Age(
      id: "INV-02: recent error, invalidated", error: 1010, invalidated: true,
      isUpToDate: false),
    Age(id: "LOAD-40: data from the future", data: 2000, isUpToDate: false),
    Age(id: "LOAD-40: an error from the future", data: 1000, error: 1010.5, isUpToDate: false),
  ]

  @Test(arguments: ages)
  func `LOAD-24 up to date is a matter of invalidation, presence and age`(age: Age) {
    var state = ResourceState()
    if let data = age.data {
      let token = state.loadStarted()
      _ = state.loadEnded(token, .newData(.text("x", at: data)), now: data)
    }
    if let error = age.error {
      let token = state.loadStarted()
      _ = state.loadEnded(token, .failure(.failure(at: error)), now: error)
    }
    if age.invalidated { state.invalidate() }
    #expect(
      state.freshness.isUpToDate(now: 1010, expirationTime: 30, retryTime: 1) == age.isUpToDate)
    #expect(state.timestamp == max(age.data ?? 0, age.error ?? 0), "STA-08")
  }

  @Test func `LOAD-25 what was never loaded is stale whatever the limits and the clock say`() {
    #expect(
      !ResourceState().freshness.isUpToDate(
        now: 0, expirationTime: .infinity, retryTime: .infinity))
  }

  // MARK: Outcomes

  struct Outcome: CustomTestStringConvertible {
    let id: String
    let outcome: ResourceState.LoadOutcome
    let event: ResourceEvent
    let text: String?
    let hasError: Bool
    let timestamp: Double
    let staysInvalidated: Bool

    var testDescription: String { id }
  }

  /// To data of time 10, an error of time 20 and an invalidation.
  static let outcomes = [
    Outcome(
      id: "new data", outcome: .newData(.text("new", at: 100)), event: .newData(.network),
      text: "new", hasError: false, timestamp: 100, staysInvalidated: false),
    Outcome(
      id: "LOAD-07, NM-06, INV-08: a 304", outcome: .notModified(nil), event: .notModified,
      text: "old", hasError: false, timestamp: 100, staysInvalidated: false),
    Outcome(
      id: "STA-06, LOAD-12: a failure", outcome: .failure(.failure(at: 100)), event: .error,
      text: "old", hasError: true, timestamp: 100, staysInvalidated: false),
    Outcome(
      id: "CXL-11, INV-04: a cancellation", outcome: .cancelled, event: .requestCancelled,
      text: "old", hasError: true, timestamp: 20, staysInvalidated: true),
  ]

  private var used: ResourceState {
    var state = ResourceState()
    let first = state.loadStarted()
    _ = state.loadEnded(first, .newData(.text("old", at: 10)), now: 10)
    let second = state.loadStarted()
    _ = state.loadEnded(second, .failure(.failure("old", at: 20)), now: 20)
    return state
  }

  @Test(arguments: outcomes)
  func `STA-07 each way a load may end does to data, error and age what it should`(row: Outcome) {
    var state = used
    state.invalidate()
    let load = state.loadStarted()
    let effect = state.loadEnded(load, row.outcome, now: 100)
    #expect(effect.event == row.event)
    #expect(effect.isApplied == (row.event != .requestCancelled))
    #expect(state.latestData?.text == row.text)
    #expect((state.latestError != nil) == row.hasError)
    #expect(state.timestamp == row.timestamp)
    #expect(state.isInvalidated == row.staysInvalidated)
  }

  @Test(arguments: outcomes)
  func `STA-11 an earlier-sent load changes nothing once a later-sent has succeeded`(
    row: Outcome
  ) {
    for later in [ResourceState.LoadOutcome.newData(.text("later", at: 50)), .notModified(nil)] {
      var state = used
      // The order of starts does not matter.
      let late = state.loadStarted()
      let early = state.loadStarted()
      _ = state.loadEnded(late, later, sending: RequestSending(sent: 2), now: 50)
      state.invalidate()
      let text = state.latestData?.text
      let expected = row.event == .requestCancelled ? row.event : .notModified
      let effect = state.loadEnded(
        early, row.outcome, sending: RequestSending(sent: 1), now: 100)
      #expect(effect == ResourceState.LoadEffect(expected, isApplied: false))
      #expect(effect.isSuperseded == (expected == .notModified))
      #expect(state.latestData?.text == text)
      #expect(state.latestError == nil)
      #expect(state.timestamp == 50)
      #expect(state.isInvalidated)
    }
  }

  @Test func `STA-11 a later-sent load that failed or was cancelled discards nothing`() {
    for later in [ResourceState.LoadOutcome.failure(.failure(at: 50)), .cancelled] {
      var state = ResourceState()
      let early = state.loadStarted()
      let late = state.loadStarted()
      _ = state.loadEnded(late, later, sending: RequestSending(sent: 2), now: 50)
      let effect = state.loadEnded(
        early, .newData(.text("early", at: 60)), sending: RequestSending(sent: 1), now: 60)
      #expect(effect == ResourceState.LoadEffect(.newData(.network)))
      #expect(state.latestData?.text == "early")
      #expect(state.latestError == nil)
    }
  }

  @Test(arguments: outcomes)
  func `STA-11 the answer to an unsafe request yields only to what was sent after it had arrived`(
    row: Outcome
  ) {
    for sent in [2 as UInt64, 5] {
      var state = used
      state.invalidate()
      let (write, read) = (state.loadStarted(), state.loadStarted())
      _ = state.loadEnded(
        read, .newData(.text("read", at: 50)), sending: RequestSending(sent: sent), now: 50)
      let effect = state.loadEnded(
        write, row.outcome, sending: RequestSending(sent: 1, answered: 3), now: 100)
      guard row.event != .requestCancelled else { continue }
      #expect(effect.isApplied == (sent == 2))
      #expect(state.latestData?.text == (sent == 2 && row.text == "new" ? "new" : "read"))
      #expect((state.latestError != nil) == (sent == 2 && row.hasError))
    }
  }

  @Test func `STA-11 what was sent before a write was answered is applied, but not up to date`() {
    for (sent, isOld) in [(2 as UInt64, true), (4, false)] {
      var state = used
      let write = state.loadStarted()
      _ = state.loadEnded(
        write, .newData(.text("written", at: 50)), sending: RequestSending(sent: 1, answered: 3),
        now: 50)
      #expect(!state.isInvalidated)
      let read = state.loadStarted()
      #expect(state.mayCache(read, sent: sent, succeeded: true) == !isOld)
      let effect = state.loadEnded(
        read, .newData(.text("read", at: 60)), sending: RequestSending(sent: sent), now: 60)
      #expect(effect.isApplied)
      #expect(state.latestData?.text == "read")
      #expect(state.isInvalidated == isOld)
    }
  }

  @Test func `INV-07 an invalidation outlives the loads in flight, not those started afterwards`() {
    var state = used
    let before = state.loadStarted()
    state.invalidate()
    _ = state.loadEnded(before, .newData(.text("x", at: 30)), now: 30)
    #expect(state.isInvalidated)
    #expect(!state.freshness.isUpToDate(now: 30, expirationTime: 30, retryTime: 1))
    let after = state.loadStarted()
    _ = state.loadEnded(after, .notModified(nil), now: 40)
    #expect(!state.isInvalidated)
  }

  @Test func `INV-05 INV-06 invalidating touches neither data, error nor timestamps`() {
    var state = used
    state.invalidate()
    #expect(state.latestData?.text == "old")
    #expect(state.latestData?.timestamp == 10)
    #expect(state.latestError?.timestamp == 20)
  }

  // MARK: Local changes

  @Test
  func `OVR-02 OVR-06 OVR-11 an override replaces data as it is, clears error and invalidation`() {
    var state = used
    state.invalidate()
    let entity = Entity.text("mine", headers: [("content-type", "x/y")], at: 7)
    let event = state.override(with: entity)
    #expect(event == .newData(.localOverride))
    #expect(state.latestData?.text == "mine")
    #expect(state.latestData?.contentType == "x/y")
    #expect(state.latestError == nil)
    #expect(!state.isInvalidated)
    #expect(state.timestamp == 7)
  }

  @Test func `OVR-07 OVR-08 OVR-10 overridden content keeps headers, is of now, validates nothing`()
  {
    var state = ResourceState()
    let headers = [("Content-Type", "x/y"), ("ETag", "\"1\""), ("X-Other", "z")]
    _ = state.override(with: .text("old", headers: headers, at: 10))
    #expect(state.condition?.value == "\"1\"")
    let event = state.override(with: .text("new"), now: 99)
    #expect(event == .newData(.localOverride))
    #expect(state.latestData?.text == "new")
    #expect(state.latestData?.headers == Headers(headers))
    #expect(state.timestamp == 99)
    #expect(state.condition == nil)
    let token = state.loadStarted()
    _ = state.loadEnded(token, .newData(.text("x", headers: headers, at: 100)), now: 100)
    #expect(state.condition?.value == "\"1\"")
  }

  @Test func `OVR-10 an entity given as a whole counts with its own validators again`() throws {
    var state = ResourceState()
    _ = state.override(with: .text("old", headers: [("ETag", "\"1\"")], at: 10))
    _ = state.override(with: .text("new"), now: 20)
    let entity = try #require(state.latestData)
    _ = state.override(with: entity)
    #expect(state.condition?.value == "\"1\"")
  }

  @Test func `OVR-09 content without data before makes an entity of its own`() {
    var state = ResourceState()
    _ = state.override(with: .text("new"), now: 99)
    #expect(state.latestData?.contentType == "application/binary")
    #expect(state.timestamp == 99)
  }

  @Test func `WIPE-01 WIPE-02 a wipe leaves nothing; OBS-41: timestamp 0`() {
    var state = used
    state.invalidate()
    let event = state.wipe()
    #expect(event == .newData(.wipe))
    #expect(state.latestData == nil)
    #expect(state.latestError == nil)
    #expect(state.timestamp == 0)
    #expect(!state.isInvalidated)
    #expect(state.contentSize == 0)
  }

  @Test(arguments: outcomes)
  func `WIPE-03 a load that had started before a wipe brings nothing back`(row: Outcome) {
    var state = used
    let before = state.loadStarted()
    _ = state.wipe()
    let event = state.loadEnded(before, row.outcome, now: 100)
    #expect(event == .init(.requestCancelled, isApplied: false))
    #expect(state.latestData == nil)
    #expect(state.latestError == nil)
    let after = state.loadStarted()
    _ = state.loadEnded(after, .newData(.text("new", at: 110)), now: 110)
    #expect(state.latestData?.text == "new")
  }

  @Test(
    arguments: [
      ([("ETag", "W/\"a\""), ("Last-Modified", "x")], "if-none-match: W/\"a\""),
      ([("Last-Modified", "Tue, 1 Jan")], "if-modified-since: Tue, 1 Jan"),
      ([("X", "y")], nil),
    ] as [([(String, String)], String?)])
  func `LOAD-03 the etag, else Last-Modified, else nothing makes a load conditional`(
    headers: [(String, String)], expected: String?
  ) {
    var state = ResourceState()
    _ = state.override(with: .text("x", headers: headers))
    let header = state.condition.map { "\($0.name): \($0.value)" }
    #expect(header == expected)
  }

  @Test func `SCA-22 an error stays that came later than what others have loaded`() {
    for (timestamp, hasError) in [(3.0, true), (5, true), (6, false)] {
      var state = ResourceState()
      _ = state.loadEnded(state.loadStarted(), .newData(.text("x", at: 1)), now: 1)
      _ = state.loadEnded(state.loadStarted(), .failure(.failure(at: 5)), now: 5)
      #expect(state.take(newer: .text("y", at: timestamp)) == .newData(.cache))
      #expect(state.latestData?.text == "y")
      #expect(state.hasError == hasError)
    }
  }
}
