/// A place in a GraphQL document (GQL-05).
package struct GraphQLPlace: Equatable, Sendable, CustomStringConvertible {
  /// The name of the document, such as its path, or nil.
  package let document: String?
  /// The number of bytes before the place.
  package let offset: Int
  /// The number of the line, starting at 1.
  package let line: Int
  /// The column in Unicode scalars, starting at 1.
  package let column: Int

  package var description: String {
    document.map { "\($0):\(line):\(column)" } ?? "line \(line), column \(column)"
  }
}

/// An error in a GraphQL document.
package struct GraphQLProblem: Error, Equatable, Sendable, CustomStringConvertible {
  package let message: String
  package let place: GraphQLPlace

  package var description: String { "\(message) (\(place))" }
}

/// All errors of a type system document, in the order of their places. Never empty.
package struct GraphQLProblems: Error, Equatable, Sendable, CustomStringConvertible {
  package let list: [GraphQLProblem]

  package var description: String { list.map(\.description).joined(separator: "\n") }
}

/// The text of a document, with the places of its bytes (GQL-05, GQL-06).
struct SourceText: Sendable {
  /// The distance between the places at which the number of scalars is known.
  private static let stride = 512

  let bytes: [UInt8]
  let name: String?
  private let lineStarts: [Int]
  /// The number of scalars before every `stride`-th byte. A long line needs no count from its
  /// start.
  private let scalarCounts: [Int]

  static let empty = SourceText()

  private init() {
    bytes = []
    name = nil
    lineStarts = [0]
    scalarCounts = []
  }

  /// Makes the text of bytes. Invalid UTF-8 is an error.
  init(_ bytes: [UInt8], name: String?) throws(GraphQLProblem) {
    self.bytes = bytes
    self.name = name
    var lineStarts = [0]
    var scalarCounts: [Int] = []
    scalarCounts.reserveCapacity(bytes.count / SourceText.stride + 1)
    var scalars = 0
    for (offset, byte) in bytes.enumerated() {
      if offset % SourceText.stride == 0 { scalarCounts.append(scalars) }
      if !SourceText.isContinuation(byte) { scalars += 1 }
      if byte == 10 || byte == 13 && (offset + 1 == bytes.count || bytes[offset + 1] != 10) {
        lineStarts.append(offset + 1)
      }
    }
    self.lineStarts = lineStarts
    self.scalarCounts = scalarCounts
    if let offset = SourceText.invalidOffset(in: bytes) {
      throw problem("the document is not valid UTF-8", at: offset)
    }
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func problem(_ message: String, at offset: Int) -> GraphQLProblem {
    GraphQLProblem(message: message, place: place(of: offset))
  }

  func place(of offset: Int) -> GraphQLPlace {
    let line = line(of: offset)
    let column = scalars(before: offset) - scalars(before: lineStarts[line - 1]) + 1
    return GraphQLPlace(document: name, offset: offset, line: line, column: column)
  }

  func line(of offset: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  func text(ofLine number: Int) -> String {
    guard number > 0, number <= lineStarts.count else { return "" }
    let end = number < lineStarts.count ? lineStarts[number] : bytes.count
    let line = bytes[lineStarts[number - 1]..<end].prefix { $0 != 10 && $0 != 13 }
    return String(decoding: line, as: UTF8.self)
  }

  private func scalars(before offset: Int) -> Int {
    let step = offset / SourceText.stride
    // The end of the text may be a multiple of the distance.
    guard step < scalarCounts.count else {
      return bytes.count(where: { !SourceText.isContinuation($0) })
    }
    var count = scalarCounts[step]
    for byte in bytes[step * SourceText.stride..<offset] where !SourceText.isContinuation(byte) {
      count += 1
    }
    return count
  }

  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// The offset of the first byte that does not begin a valid sequence.
  private static func invalidOffset(in bytes: [UInt8]) -> Int? {
    var offset = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      let length: Int
      // The second byte of some sequences is restricted: no overlong forms, surrogates or values
      // above U+10FFFF.
      var second: ClosedRange<UInt8> = 0x80...0xBF
      switch byte {
      case 0...0x7F:
        offset += 1
        continue
      case 0xC2...0xDF: length = 2
      case 0xE0: (length, second) = (3, 0xA0...0xBF)
      case 0xED: (length, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: length = 3
      case 0xF0: (length, second) = (4, 0x90...0xBF)
      case 0xF1...0xF3: length = 4
      case 0xF4: (length, second) = (4, 0x80...0x8F)
      default: return offset
      }
      guard offset + length <= bytes.count, second.contains(bytes[offset + 1]),
        bytes[(offset + 2)..<(offset + length)].allSatisfy(isContinuation)
      else { return offset }
      offset += length
    }
    return nil
  }
}
