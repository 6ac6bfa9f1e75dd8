/// Parses a `text/event-stream` as described in the HTML standard (section 9.2.6, "Interpreting an
/// event stream").
///
/// The parser doesn't read ahead: `lastEventID` belongs to the events returned so far. `beginAgain`
/// discards the incomplete event of a connection, but keeps the ID and the retry time.
package struct EventStreamParser {
  /// The ID to send when the stream is requested again; empty if there is none.
  package private(set) var lastEventID: String
  /// The seconds that the server wants clients to wait before they reconnect; nil if the server
  /// hasn't sent a retry time.
  package private(set) var retry: Double?

  private var lines = StreamLines(.any)
  private var isFirstLine = true
  /// The ID received since the last empty line, if any. It becomes `lastEventID` at the next empty
  /// line.
  private var nextID: String?
  private var event = ""
  private var data: [UInt8] = []

  package init(lastEventID: String = "") {
    self.lastEventID = lastEventID
  }

  /// Prepares the parser for the body of a new connection.
  package mutating func beginAgain() {
    lines.removeAll()
    isFirstLine = true
    nextID = nil
    event = ""
    data = []
  }

  package mutating func take(_ piece: inout [UInt8]) throws(StreamProblem) {
    try lines.take(&piece)
  }

  /// Returns the next event; nil if no event is complete.
  package mutating func next() throws(StreamProblem) -> StreamEvent? {
    var lines = StreamLines(.any)
    swap(&lines, &self.lines)
    defer { swap(&lines, &self.lines) }
    while let event = try lines.next({ interpret($0) }) {
      guard data.count <= StreamLines.limit else { throw .tooLarge }
      if let event = event { return event }
    }
    return nil
  }

  /// Interprets a line. Returns an event if the line is empty and completes an event.
  private mutating func interpret(_ line: UnsafeBufferPointer<UInt8>) -> StreamEvent? {
    var line = line
    if isFirstLine {
      isFirstLine = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) {
        line = UnsafeBufferPointer(rebasing: line.dropFirst(3))
      }
    }
    guard !line.isEmpty else { return dispatch() }
    let nameEnd = RawBytes.count(before: UInt8(ascii: ":"), in: line)
    var valueStart = min(nameEnd + 1, line.count)
    if valueStart < line.count, line[valueStart] == 32 { valueStart += 1 }
    set(
      UnsafeBufferPointer(rebasing: line[..<nameEnd]),
      UnsafeBufferPointer(rebasing: line[valueStart...]))
    return nil
  }

  private mutating func set(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) {
    if Self.isSame(name, "data") {
      data += value
      data.append(10)
    } else if Self.isSame(name, "event") {
      event = String(decoding: value, as: UTF8.self)
    } else if Self.isSame(name, "id") {
      if !value.contains(0) { nextID = String(decoding: value, as: UTF8.self) }
    } else if Self.isSame(name, "retry") {
      // A value that contains anything but digits is ignored.
      guard !value.isEmpty, value.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return }
      // The value is in milliseconds.
      retry = value.reduce(0) { $0 * 10 + Double($1 - 48) } / 1000
    }
  }

  private mutating func dispatch() -> StreamEvent? {
    if let id = nextID {
      lastEventID = id
      nextID = nil
    }
    defer { event = "" }
    guard data.popLast() != nil else { return nil }
    var data: [UInt8] = []
    swap(&data, &self.data)
    if !data.withUnsafeBufferPointer(UTF8Validation.isValid) {
      data = Array(String(decoding: data, as: UTF8.self).utf8)
    }
    return StreamEvent(id: lastEventID, event: event.isEmpty ? "message" : event, data: data)
  }

  private static func isSame(_ name: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
    name.count == text.utf8CodeUnitCount
      && RawBytes.areEqual(name.baseAddress ?? text.utf8Start, text.utf8Start, count: name.count)
  }
}

/// An event of a `text/event-stream`. Lua: an element that `resource:events()` returns for an event
/// stream.
public struct StreamEvent: Sendable, Equatable {
  /// The ID that the server sent last, with this event or an earlier event; empty if the server has
  /// not sent an ID yet.
  public let id: String
  /// The type of the event; `message` if the server sends no type.
  public let event: String
  /// The data of the event, as text in UTF-8 with lines separated by LF.
  package let data: [UInt8]

  package init(id: String = "", event: String = "message", data: [UInt8]) {
    self.id = id
    self.event = event
    self.data = data
  }

  /// The data as text, not decoded further.
  public var text: String { String(decoding: data, as: UTF8.self) }
}

/// An element of a stream: an event or a JSON value.
public enum StreamItem: Sendable {
  /// An event of a `text/event-stream`.
  case event(StreamEvent)
  /// The JSON value on a line of NDJSON.
  case row(JSONDocument)
}

/// Why reading a stream failed.
package enum StreamProblem: Error, Equatable {
  /// An item is larger than `StreamLines.limit`.
  case tooLarge
  case noMemory
  /// A line, counted from 1, is not JSON.
  case malformed(line: Int, JSONError)
}

/// Computes the delay before a stream is requested again after its connection has ended.
///
/// The first delay is the server's retry time. After each further failure, the delay is doubled, up
/// to 60 s. A random reduction prevents clients from reconnecting at the same time, but the delay
/// is never shorter than the server's retry time. Times are in seconds.
package struct Reconnection {
  /// The first delay if the server sends no retry time.
  package static let defaultTime = 3.0
  /// The longest delay, unless the server's retry time is longer.
  private static let longest = 60.0

  /// The server's retry time.
  package var time: Double
  private var failures = 0

  package init(time: Double = Reconnection.defaultTime) {
    self.time = time
  }

  /// Records that the stream was opened again.
  package mutating func succeeded() { failures = 0 }

  /// Returns the delay before the next connection, after a connection has ended or failed.
  ///
  /// - Parameter random: A random number from 0 up to but not including 1.
  package mutating func nextDelay(random: Double) -> Double {
    defer { failures += 1 }
    guard failures > 0 else { return time }
    let growing = max(time, 0.1) * Double(1 << min(failures, 20))
    return max(time, min(growing, Reconnection.longest) * (1 - random / 2))
  }

  /// Whether the stream may be requested again after an exchange has failed with `error`.
  ///
  /// - Parameter afterHead: Whether the response headers had arrived. In this case, a malformed
  ///   body is treated like a broken connection, because a stream that is cut off ends like that.
  package static func mayPass(_ error: TransportError, afterHead: Bool) -> Bool {
    guard !error.isFinal else { return false }
    switch error.kind {
    case .network, .timeout, .dns, .connection, .truncatedBody: return true
    case .malformedResponse: return afterHead
    case .tls, .bodyTooLarge, .tooManyRedirects, .redirectRefused, .invalidURL, .cancelled,
      .scriptError, .secretOrigin, .secretUnavailable, .authFailed, .fileUnavailable, .fileChanged,
      .offline, .unconfirmed, .eventStream, .notAStream:
      return false
    }
  }
}
