/// How a stream is asked for.
public struct StreamOptions {
  /// The event to go on after, as `StreamEvent.id` names it; empty: as the server likes.
  public var lastEventID = ""
  /// Whether an event stream that ends, or breaks off, is asked for once more; else the first ends it,
  /// and the second is an error.
  public var reconnects = true
  /// How long it may take in all, from the first request on, connections that follow included; seconds.
  /// nil: as long as it takes.
  public var timeout: Double?
  /// Edits the request, each time it is made.
  package var edit: AdHocMutation?

  /// From the start, and for as long as it takes, unless said otherwise.
  public init(lastEventID: String = "", reconnects: Bool = true) {
    self.lastEventID = lastEventID
    self.reconnects = reconnects
  }
}
