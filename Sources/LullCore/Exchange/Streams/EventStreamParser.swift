/// Reads a `text/event-stream` as the HTML standard has it (section 9.2.6, "Interpreting an event
/// stream").
///
/// Nothing is read ahead: `lastEventID` is that of what was given. What a connection has left unfinished
/// is void with `beginAgain`; the id and the time to wait outlive it.
package struct EventStreamParser {
  /// What to name when the stream is asked for once more; empty: nothing.
  package private(set) var lastEventID: String
  /// Seconds that the server wants to be left alone after a break; nil before it has said so.
  package private(set) var retry: Double?

  private var lines = StreamLines(.any)
  private var isFirstLine = true
  /// What the next empty line makes `lastEventID`.
  private var nextID: String?
  private var event = ""
  private var data: [UInt8] = []

  package init(lastEventID: String = "") {
    self.lastEventID = lastEventID
  }

  /// For the body of another connection.
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

  /// The next event; nil if none is whole.
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

  /// The event that an empty line ends, if it ends one.
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
      // One of no digits is no number.
      guard !value.isEmpty, value.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return }
      // In milliseconds, however many.
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

/// Why a stream cannot be read on.
package enum StreamProblem: Error, Equatable {
  /// An item larger than `StreamLines.limit`.
  case tooLarge
  case noMemory
  /// A line, counted from 1, that is not JSON.
  case malformed(line: Int, JSONError)
}

/// When a stream that has broken off is asked for once more.
///
/// After a break once the time has passed that the server wants to be left alone; after each failure to
/// get the stream back twice as long, up to a minute, by chance somewhat less so that not all ask at the
/// same time, but never sooner than the server wants. Times are seconds.
package struct Reconnection {
  /// Where the server says nothing.
  package static let defaultTime = 3.0
  /// How long the time may become where the server does not want more.
  private static let longest = 60.0

  /// As the server wants it.
  package var time: Double
  private var failures = 0

  package init(time: Double = Reconnection.defaultTime) {
    self.time = time
  }

  /// The stream is there.
  package mutating func succeeded() { failures = 0 }

  /// How long to wait, after a break or one more failure.
  ///
  /// - Parameter random: at least 0, below 1.
  package mutating func nextDelay(random: Double) -> Double {
    defer { failures += 1 }
    guard failures > 0 else { return time }
    let growing = max(time, 0.1) * Double(1 << min(failures, 20))
    return max(time, min(growing, Reconnection.longest) * (1 - random / 2))
  }

  /// Whether the failure of an exchange is a break, after which the server may have the stream again.
  ///
  /// - Parameter afterHead: whether the stream had begun: then also where the rest of it is malformed,
  ///   since so ends what is cut off.
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
