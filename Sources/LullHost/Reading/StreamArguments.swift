import CLullBridge
import LullCore

/// The options of a call that requests a stream: `{ reconnect =, last_event_id =, headers =,
/// timeout =, mutate = }`.
struct StreamArguments {
  private(set) var options = StreamOptions()
  /// The ID of the stored function that edits the requests of the stream, or nil. The caller must
  /// keep the function alive.
  private(set) var mutation: Int64?

  static let keys = ["reconnect", "last_event_id"]

  /// Reads the options in the argument at a position, which may be nil. Fields with a name in
  /// `others` are passed to `other`.
  init(
    _ call: Call, _ position: Int, besides others: [String] = [],
    _ other: (_ name: String, lull_value) throws(Misuse) -> Void = { _, _ in }
  ) throws(Misuse) {
    guard !call.isNil(position) else { return }
    var options = options
    let request = try RequestOptions(
      call, table: call.index(position), besides: others + StreamArguments.keys
    ) { name, value throws(Misuse) in
      switch name {
      case "reconnect":
        guard let reconnects = value.bool else {
          throw .message("'reconnect' must be true or false, got \(value.described)")
        }
        options.reconnects = reconnects
      case "last_event_id":
        guard value.kind == Int32(LULL_STRING), let id = value.string else {
          throw .message("'last_event_id' must be a string, got \(value.described)")
        }
        if let problem = Headers.valueProblem(id.utf8) {
          throw .message("'last_event_id' \(problem)")
        }
        options.lastEventID = id
      default: try other(name, value)
      }
    }
    options.timeout = request.timeout.flatMap { $0.isFinite ? $0 : nil }
    options.edit = request.edit(call.callbacks, timeout: nil)
    self.options = options
    mutation = request.mutation
  }
}
