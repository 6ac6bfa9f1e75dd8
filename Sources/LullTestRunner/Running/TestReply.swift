/// What came of an order.
struct TestReply: Codable {
  /// The tests of the file.
  var declared: [DeclaredTest] = []
  /// Files that were loaded for it: modules, API files.
  var loaded: [String] = []
  /// Why it cannot be read or compiled, as a report.
  var unreadable: String?
  /// What is wrong, each as a report; none: all went well.
  var failures: [String] = []
  /// What is to be told besides.
  var notes: [String] = []
  /// What the test has begun and not ended, in words.
  var leftovers: String?
  var expectationCount = 0
  /// By the system's clock.
  var seconds = 0.0
  /// By that of the test.
  var heldSeconds = 0.0
  var usedSnapshots: [String] = []
  var snapshots: [TestSnapshots.Entry] = []
  /// The recordings that it has named.
  var cassettes: [CassetteUse] = []
  /// What was recorded, if it has passed.
  var recordings: [RecordedCassette] = []
  /// What it has sent, up to a number, and how many there were besides.
  var exchanges: [ShownExchange] = []
  var moreExchanges = 0
  /// What it has sent by calls of API files.
  var calls: [CallUse] = []
  /// The API file that was asked for.
  var api: DeclaredAPI?
  /// What was printed.
  var output = ""
  /// Whether the worker ends with it, so that another one has to do the rest.
  var isLast = false
}

extension TestReply {
  /// Has every text of it that a test has made go through that.
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
