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
