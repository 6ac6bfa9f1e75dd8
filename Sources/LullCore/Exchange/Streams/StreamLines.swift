/// Splits a stream into complete lines. The stream may arrive in chunks of any size.
///
/// The memory of returned lines is released, and no byte is searched twice. If a line is longer
/// than `limit`, reading fails as soon as that many bytes have arrived.
package struct StreamLines {
  package enum Ending {
    /// A line ends with LF.
    case lineFeed
    /// A line ends with CR, LF or CR LF.
    case any
    /// Each JSON value counts as a line. The line ends where the value ends.
    case value
  }

  /// The largest size of one line, in bytes.
  package static let limit = 16 << 20
  /// The largest buffer that is kept for reuse, in bytes.
  private static let maxSpare = 1 << 20

  private let ending: Ending
  private var bytes: [UInt8] = []
  /// The index in the buffer at which the incomplete line starts.
  private var start = 0
  /// The index in the buffer up to which there is no line end.
  private var searched = 0
  /// Whether the last line ended with CR. An LF that follows belongs to the same line end.
  private var mayFollowLineFeed = false
  private var scan = JSONValueScan()

  package init(_ ending: Ending) {
    self.ending = ending
  }

  /// The number of buffered bytes that have not been returned.
  package var count: Int { bytes.count - start }

  /// Moves all bytes from `piece` into the buffer and leaves `piece` empty. `piece` may keep memory
  /// for the next call.
  package mutating func take(_ piece: inout [UInt8]) throws(StreamProblem) {
    if start == bytes.count {
      start = 0
      searched = 0
      if bytes.capacity > StreamLines.maxSpare {
        bytes = []
      } else {
        bytes.removeAll(keepingCapacity: true)
      }
      swap(&bytes, &piece)
      return
    }
    if start > 0 {
      bytes.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    guard MemoryLedger.reserve(bytes.count + piece.count, in: &bytes) else { throw .noMemory }
    bytes += piece
    piece.removeAll(keepingCapacity: piece.capacity <= StreamLines.maxSpare)
  }

  /// Calls `body` with the next line, without its line end, and returns the result of `body`.
  /// Returns nil if no line is complete.
  package mutating func next<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) throws(StreamProblem) -> Result? {
    if ending == .value { return try nextValue(body) }
    if mayFollowLineFeed, start < bytes.count {
      mayFollowLineFeed = false
      if bytes[start] == 10 {
        start += 1
        searched = start
      }
    }
    let from = searched
    let isAny = ending == .any
    let end = bytes.withUnsafeBufferPointer { bytes -> Int in
      guard isAny else {
        return from + RawBytes.count(before: 10, in: UnsafeBufferPointer(rebasing: bytes[from...]))
      }
      var place = from
      while place < bytes.count, bytes[place] != 10, bytes[place] != 13 { place += 1 }
      return place
    }
    guard end - start <= StreamLines.limit else { throw .tooLarge }
    searched = end
    guard end < bytes.count else { return nil }
    mayFollowLineFeed = isAny && bytes[end] == 13
    let result = bytes.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[start..<end]))
    }
    start = end + 1
    searched = start
    return result
  }

  private mutating func nextValue<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) throws(StreamProblem) -> Result? {
    var (scan, start, place) = (self.scan, self.start, searched)
    let (result, value) = bytes.withUnsafeBufferPointer { bytes -> (Result?, Range<Int>?) in
      let value = scan.next(in: bytes, start: &start, place: &place)
      guard let value, value.count <= StreamLines.limit else { return (nil, value) }
      return (body(UnsafeBufferPointer(rebasing: bytes[value])), value)
    }
    (self.scan, self.start, searched) = (scan, value?.upperBound ?? start, place)
    guard value?.count ?? (place - start) <= StreamLines.limit else { throw .tooLarge }
    return result
  }

  /// Calls `body` with the bytes after the last line end, and returns the result of `body`. Call
  /// this function when no more bytes follow. Returns nil if there are no bytes after the last line
  /// end.
  package mutating func rest<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    guard start < bytes.count else { return nil }
    let result = bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start...])) }
    removeAll()
    return result
  }

  /// Discards the buffered bytes.
  package mutating func removeAll() {
    bytes = []
    start = 0
    searched = 0
    mayFollowLineFeed = false
    scan = JSONValueScan()
  }
}

/// Parses a body with one JSON value on each line while the body arrives (NDJSON, JSON Lines).
///
/// With `areValues`, values may be separated as in `JSONForm.values`. Empty lines and a byte-order
/// mark at the beginning are ignored, as when a whole body is parsed. (JSN-20)
package struct RowParser {
  private var lines: StreamLines
  /// Whether the original text of each row is stored in `text`.
  private let keepsText: Bool
  /// The original text of the row returned last.
  private(set) var text: [UInt8] = []
  private var lineCount = 0

  private enum Line {
    case empty
    case row(JSONDocument, text: [UInt8])
    case malformed(JSONError)
  }

  package init(keepsText: Bool = false, areValues: Bool = false) {
    lines = StreamLines(areValues ? .value : .lineFeed)
    self.keepsText = keepsText
  }

  package mutating func take(_ piece: inout [UInt8]) throws(StreamProblem) {
    try lines.take(&piece)
  }

  /// Returns the next row; nil if no row is complete.
  package mutating func next() throws(StreamProblem) -> JSONDocument? {
    while true {
      let (isFirst, keepsText) = (lineCount == 0, keepsText)
      let line = try lines.next { Self.read($0, isFirst: isFirst, keepsText: keepsText) }
      guard let line else { return nil }
      if let row = try row(line) { return row }
    }
  }

  /// Returns the last row of a complete body, which need not end with a line feed. Returns nil if
  /// there is no further row.
  package mutating func last() throws(StreamProblem) -> JSONDocument? {
    let (isFirst, keepsText) = (lineCount == 0, keepsText)
    let line = lines.rest { Self.read($0, isFirst: isFirst, keepsText: keepsText) }
    guard let line else { return nil }
    return try row(line)
  }

  private mutating func row(_ line: Line) throws(StreamProblem) -> JSONDocument? {
    lineCount += 1
    switch line {
    case .empty: return nil
    case .row(let document, let text):
      self.text = text
      return document
    case .malformed(let error): throw .malformed(line: lineCount, error)
    }
  }

  private static func read(
    _ line: UnsafeBufferPointer<UInt8>, isFirst: Bool, keepsText: Bool
  ) -> Line {
    var line = line
    if line.starts(with: [0xEF, 0xBB, 0xBF]) {
      // The parser of a single line would accept a byte-order mark.
      guard isFirst else { return .malformed(JSONError("a byte-order mark after the first line")) }
      line = UnsafeBufferPointer(rebasing: line.dropFirst(3))
    }
    guard line.contains(where: { $0 != 32 && $0 != 9 && $0 != 13 }) else { return .empty }
    do throws(JSONError) {
      return .row(try JSONDocument(parsing: line), text: keepsText ? Array(line) : [])
    } catch {
      return .malformed(error)
    }
  }
}
