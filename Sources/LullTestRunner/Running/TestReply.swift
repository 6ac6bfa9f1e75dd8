/// The reply of a worker to an order.
struct TestReply: Codable {
  /// The tests that the file declares.
  var declared: [DeclaredTest] = []
  /// The modules and API files that the test file has loaded.
  var loaded: [String] = []
  /// The report about a file that can't be read or compiled. `nil` if the file could be loaded.
  var unreadable: String?
  /// The reports about failures. Empty: the test has passed.
  var failures: [String] = []
  /// Notes about the test that are not failures.
  var notes: [String] = []
  /// A description of work that the test has started but not finished. `nil` if there is none.
  var leftovers: String?
  var expectationCount = 0
  /// The duration in seconds by the system's clock.
  var seconds = 0.0
  /// The duration in seconds by the test's clock.
  var heldSeconds = 0.0
  var usedSnapshots: [String] = []
  var snapshots: [TestSnapshots.Entry] = []
  /// The recordings that the test uses.
  var cassettes: [CassetteUse] = []
  /// The recordings that the test has made, if it has passed.
  var recordings: [RecordedCassette] = []
  /// The first exchanges of the test. `moreExchanges` is the number of exchanges that are not
  /// included.
  var exchanges: [ShownExchange] = []
  var moreExchanges = 0
  /// The requests of the test, grouped by the call of an API file that was used.
  var calls: [CallUse] = []
  /// The description of the API file, if the order requested it.
  var api: DeclaredAPI?
  /// The output of the test.
  var output = ""
  /// Whether the worker exits after this reply. Another worker must take the next order.
  var isLast = false
}

extension TestReply {
  /// Changes every text in the reply that may contain text from the test.
  mutating func hide(_ hidden: (String) -> String) {
    failures = failures.map(hidden)
    notes = notes.map(hidden)
    leftovers = leftovers.map(hidden)
    for place in exchanges.indices {
      exchanges[place].url = hidden(exchanges[place].url)
      exchanges[place].error = exchanges[place].error.map(hidden)
    }
  }
}
