/// The reply to an order.
struct TestReply: Codable {
  /// The tests of the file.
  var declared: [DeclaredTest] = []
  /// The modules and API files that were loaded.
  var loaded: [String] = []
  /// Why the file can't be read or compiled, as a report.
  var unreadable: String?
  /// The failures, each as a report. Empty: the test passed.
  var failures: [String] = []
  /// Additional notes.
  var notes: [String] = []
  /// A description of the work that the test started and did not finish.
  var leftovers: String?
  var expectationCount = 0
  /// By the system's clock.
  var seconds = 0.0
  /// By the test's clock.
  var heldSeconds = 0.0
  var usedSnapshots: [String] = []
  var snapshots: [TestSnapshots.Entry] = []
  /// The recordings that it uses.
  var cassettes: [CassetteUse] = []
  /// The recordings that it made, if it passed.
  var recordings: [RecordedCassette] = []
  /// The first exchanges, and the number of further ones.
  var exchanges: [ShownExchange] = []
  var moreExchanges = 0
  /// The requests by call of an API file.
  var calls: [CallUse] = []
  /// The requested API file.
  var api: DeclaredAPI?
  /// The output.
  var output = ""
  /// Whether the worker exits after this, so that another one has to continue.
  var isLast = false
}

extension TestReply {
  /// Applies a function to every text that the test may have produced.
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
