/// One event of a `text/event-stream`. Lua: what `resource:events()` gives of such a stream.
public struct StreamEvent: Sendable, Equatable {
  /// The last id that the server has named, with this event or before; empty before the first.
  public let id: String
  /// Its type; `message` where none is named.
  public let event: String
  /// UTF-8, lines separated by LF.
  package let data: [UInt8]

  package init(id: String = "", event: String = "message", data: [UInt8]) {
    self.id = id
    self.event = event
    self.data = data
  }

  /// The data, never decoded further.
  public var text: String { String(decoding: data, as: UTF8.self) }
}

/// What a stream gives, one after the other.
public enum StreamItem: Sendable {
  /// Of a `text/event-stream`.
  case event(StreamEvent)
  /// A line of NDJSON.
  case row(JSONDocument)
}
