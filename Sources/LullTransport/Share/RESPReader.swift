import CHiredis
import LullCore
import LullSystem

/// Parses the replies of a Redis-compatible server with hiredis' reader. The input is untrusted, so
/// at most the size limit of one reply is buffered. Home thread only.
final class RESPReader {
  /// The reason why reading stopped.
  struct Failure: Error, Equatable {
    let message: String
  }

  /// The maximum size of one reply: in bytes, and in nested values.
  static let mostBytes = 16 << 20
  static let mostParts = 1 << 16

  private let reader: OpaquePointer
  private let mostBytes: Int
  /// The number of bytes received since the last complete reply.
  private var pendingCount = 0
  private var hasFailed = false

  /// The reason why the hiredis library cannot be used; nil if it can.
  static var problem: String? {
    // The text is a constant of the library, so it is valid after the call.
    chiredis_load().map { String(cString: $0) }
  }

  /// Creates a reader. Returns nil if the hiredis library is missing or memory runs out.
  init?(mostBytes: Int = RESPReader.mostBytes, mostParts: Int = RESPReader.mostParts) {
    guard chiredis_load() == nil, let reader = chiredis_reader_create(mostParts) else { return nil }
    self.reader = reader
    self.mostBytes = mostBytes
  }

  deinit { chiredis_reader_free(reader) }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    guard !hasFailed else { throw Failure(message: "its responses are invalid") }
    pendingCount += bytes.count
    guard pendingCount <= mostBytes else {
      throw fail("a response has more than \(mostBytes) bytes")
    }
    guard let start = bytes.baseAddress else { return }
    guard chiredis_reader_feed(reader, start, bytes.count) != 0 else {
      throw fail("there is no memory for its response")
    }
  }

  /// Returns the next reply, or nil if it is not complete yet.
  func next() throws(Failure) -> RESPValue? {
    guard !hasFailed else { return nil }
    switch chiredis_reader_next(reader) {
    case 0: return nil
    case 1:
      pendingCount = 0
      return value()
    default:
      // The message belongs to the reader, so it is copied immediately. It may quote the server.
      let reason = String(escapingCString: chiredis_reader_message(reader))
      throw fail("its responses are invalid (\(LogText.part(reason, limit: 100)))")
    }
  }

  private func fail(_ message: String) -> Failure {
    hasFailed = true
    return Failure(message: message)
  }

  private func value() -> RESPValue {
    var count = 0
    // The nodes and the text belong to the reader. They are valid until the reader parses the next
    // reply.
    let nodes = UnsafeBufferPointer(start: chiredis_reader_nodes(reader, &count), count: count)
    let text = chiredis_reader_text(reader)
    var next = nodes.startIndex
    return RESPReader.value(nodes, text, &next)
  }

  /// Converts a value and the values nested in it.
  ///
  /// - Parameter next: The index of the value's first node. Afterwards, it is the index after the
  ///   value's last node. hiredis accepts at most seven levels of nesting, which limits the
  ///   recursion.
  private static func value(
    _ nodes: UnsafeBufferPointer<chiredis_node>, _ text: UnsafePointer<CChar>?, _ next: inout Int
  ) -> RESPValue {
    guard next < nodes.count else { return .null }
    let node = nodes[next]
    next += 1
    switch node.kind {
    case CHIREDIS_INTEGER: return .integer(node.value)
    case CHIREDIS_ARRAY:
      var values: [RESPValue] = []
      values.reserveCapacity(Int(node.value))
      for _ in 0..<max(0, node.value) { values.append(value(nodes, text, &next)) }
      return .array(values)
    case CHIREDIS_BYTES, CHIREDIS_STATUS, CHIREDIS_ERROR:
      // The node has the offset and the length of its bytes in `text`, where the reader has copied
      // them.
      let bytes = Array(
        UnsafeRawBufferPointer(start: text.map { $0 + node.offset }, count: Int(node.value)))
      if node.kind == CHIREDIS_BYTES { return .bytes(bytes) }
      let words = String(escaping: bytes)
      return node.kind == CHIREDIS_STATUS ? .status(words) : .failure(words)
    default: return .null
    }
  }
}

/// A reply of a Redis-compatible server. (RESP 2)
package enum RESPValue: Sendable, Equatable {
  case bytes([UInt8])
  case status(String)
  /// An error, in the words of the server. The first word is the kind of error.
  case failure(String)
  case integer(Int64)
  case null
  indirect case array([RESPValue])

  package var integer: Int64? {
    if case .integer(let value) = self { return value }
    return nil
  }

  package var array: [RESPValue]? {
    if case .array(let values) = self { return values }
    return nil
  }

  package var bytes: [UInt8]? {
    if case .bytes(let bytes) = self { return bytes }
    return nil
  }

  /// The text of a status or bytes; nil if the bytes are not valid UTF-8.
  package var text: String? {
    switch self {
    case .status(let text): text
    case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
    case .failure, .integer, .null, .array: nil
    }
  }
}

/// A command for a Redis-compatible server, as a list of arguments.
struct RESPCommand {
  private(set) var words: [[UInt8]]

  init(_ words: [[UInt8]]) {
    self.words = words
  }

  init(_ words: String...) {
    self.words = words.map { Array($0.utf8) }
  }

  /// The bytes of the command, formatted by hiredis. nil if memory runs out or the library is
  /// missing.
  var wire: [UInt8]? {
    guard chiredis_load() == nil, let count = Int32(exactly: words.count) else { return nil }
    let lengths = words.map(\.count)
    let all = words.flatMap { $0 }
    return all.withUnsafeBytes { all in
      let start = all.assumingMemoryBound(to: CChar.self).baseAddress
      var offset = 0
      let pointers = lengths.map { length in
        defer { offset += length }
        return start.map { $0 + offset }
      }
      var byteCount = 0
      // There are `count` pointers and `count` lengths. The pointers point into `all`, which
      // outlives the call.
      guard let made = chiredis_format(count, pointers, lengths, &byteCount) else { return nil }
      defer { chiredis_free(made) }
      return Array(UnsafeRawBufferPointer(start: made, count: byteCount))
    }
  }
}

/// A queue of bytes to send, in pieces that do not change until they are sent. After a partial
/// write, TLS needs the same bytes again at the same address.
struct OutputLine {
  private var pieces = CompactLine<[UInt8]>()
  /// The number of bytes sent of the first piece.
  private var sentCount = 0
  /// The number of bytes that are not sent yet.
  private(set) var count = 0

  /// The maximum size in bytes of a piece into which several small pieces are joined.
  private static let mostTogether = 1 << 14

  /// The piece to send next, and the number of its bytes that were already sent; nil if there is
  /// nothing to send.
  var first: (bytes: [UInt8], sentCount: Int)? { pieces.first.map { ($0, sentCount) } }

  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    count += bytes.count
    let isAdded = pieces.changeLast { last, isFirst in
      // The first piece must not change, because a write of it may have been tried.
      guard !isFirst, last.count + bytes.count <= OutputLine.mostTogether else { return false }
      last += bytes
      return true
    }
    if !isAdded { pieces.append(bytes) }
  }

  /// Removes the first `count` bytes, which were sent.
  mutating func removeFirst(_ count: Int) {
    self.count -= count
    sentCount += count
    guard let first = pieces.first, sentCount >= first.count else { return }
    _ = pieces.popFirst()
    sentCount = 0
  }
}
