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
