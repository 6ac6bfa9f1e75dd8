/// The lines of a stream that comes in pieces, whole ones only.
///
/// What has been given is let go, and no byte is looked at twice. A line that is larger than `limit`
/// is a problem as soon as that much of it is here.
package struct StreamLines {
  package enum Ending {
    /// LF.
    case lineFeed
    /// CR, LF, or both together.
    case any
    /// That of a value of JSON.
    case value
  }

  /// Of one item, in bytes.
  package static let limit = 16 << 20
  /// A larger one is not kept for what comes next.
  private static let maxSpare = 1 << 20

  private let ending: Ending
  private var bytes: [UInt8] = []
  /// Where the line begins that is not whole yet.
  private var start = 0
  /// Up to where no end of it was found.
  private var searched = 0
  /// Whether the line before has ended with CR, which an LF may follow.
  private var mayFollowLineFeed = false
  private var scan = JSONValueScan()

  package init(_ ending: Ending) {
    self.ending = ending
  }

  /// Bytes that are here and not given.
  package var count: Int { bytes.count - start }

  /// Takes all that is in `piece`, which is left empty and may have its memory for what comes next.
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

  /// What `body` makes of the next line, without its end; nil if none is whole.
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

  /// The same of what is left behind the last line's end, once nothing follows; nil if nothing is.
  package mutating func rest<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    guard start < bytes.count else { return nil }
    let result = bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start...])) }
    removeAll()
    return result
  }

  /// Forgets what is here.
  package mutating func removeAll() {
    bytes = []
    start = 0
    searched = 0
    mayFollowLineFeed = false
    scan = JSONValueScan()
  }
}

/// Reads a body of a value of JSON on each line, while it comes (NDJSON, JSON Lines).
///
/// Or values that follow each other in another way, as `JSONForm.values` has them. As the whole body would be read: empty lines do not count, nor does a byte-order mark. (JSN-20)
package struct RowParser {
  private var lines: StreamLines
  /// Whether `text` is wanted.
  private let keepsText: Bool
  /// The last row as it was spelled.
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

  /// The next row; nil if none is whole.
  package mutating func next() throws(StreamProblem) -> JSONDocument? {
    while true {
      let (isFirst, keepsText) = (lineCount == 0, keepsText)
      let line = try lines.next { Self.read($0, isFirst: isFirst, keepsText: keepsText) }
      guard let line else { return nil }
      if let row = try row(line) { return row }
    }
  }

  /// The last one of a whole body, which no line feed need end; nil if there is none.
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
      // By itself the line would be allowed one.
      guard isFirst else { return .malformed(JSONError("a byte-order mark in the middle")) }
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
