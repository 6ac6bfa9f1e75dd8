/// Makes items of the bytes of one stream, of either kind.
struct StreamReader {
  private enum Kind {
    case events
    case rows(RowParser)
  }

  /// Outlives each connection.
  private(set) var events: EventStreamParser
  private var kind = Kind.events
  /// Whether `rowText` is wanted.
  var keepsText = false
  /// The last row as the server has spelled it.
  private(set) var rowText: [UInt8] = []

  init(lastEventID: String) {
    events = EventStreamParser(lastEventID: lastEventID)
  }

  var areRows: Bool {
    if case .rows = kind { return true }
    return false
  }

  /// What an item is called that cannot be read.
  private(set) var unit = "line"

  /// A body begins.
  ///
  /// - Parameter form: How rows are written; nil for events.
  mutating func begin(rows form: JSONForm?) {
    events.beginAgain()
    guard let form else { return kind = .events }
    unit = form == .lines ? "line" : "value"
    kind = .rows(RowParser(keepsText: keepsText, areValues: form != .lines))
  }

  mutating func take(_ piece: inout [UInt8]) throws(StreamProblem) {
    guard case .rows(var parser) = kind else { return try events.take(&piece) }
    // So that its buffer is not shared meanwhile.
    kind = .events
    defer { kind = .rows(parser) }
    try parser.take(&piece)
  }

  /// The next item; nil if none is whole.
  mutating func next() throws(StreamProblem) -> StreamItem? {
    try read { parser throws(StreamProblem) in try parser.next() }
  }

  /// The item that the end of a whole body ends.
  mutating func last() throws(StreamProblem) -> StreamItem? {
    guard areRows else { return nil }
    return try read { parser throws(StreamProblem) in try parser.last() }
  }

  private mutating func read(
    _ row: (inout RowParser) throws(StreamProblem) -> JSONDocument?
  ) throws(StreamProblem) -> StreamItem? {
    guard case .rows(var parser) = kind else { return try events.next().map { .event($0) } }
    // As above.
    kind = .events
    defer { kind = .rows(parser) }
    guard let document = try row(&parser) else { return nil }
    rowText = parser.text
    return .row(document)
  }
}
