import CHiredis
import LullCore
import LullSystem

/// Takes apart what a server of the Redis kind sends, by hiredis' reader: hostile input, of which no more is
/// kept than one answer may have. Home thread only.
final class RESPReader {
  /// Why it is not read any further, in words.
  struct Failure: Error, Equatable {
    let message: String
  }

  /// Bytes and parts that one answer may have.
  static let mostBytes = 16 << 20
  static let mostParts = 1 << 16

  private let reader: OpaquePointer
  private let mostBytes: Int
  /// Since the last answer that was complete.
  private var pendingCount = 0
  private var hasFailed = false

  /// Why there is none: the library is missing.
  static var problem: String? {
    // A text of the library's owner, written once.
    chiredis_load().map { String(cString: $0) }
  }

  /// nil without the library, or without memory.
  init?(mostBytes: Int = RESPReader.mostBytes, mostParts: Int = RESPReader.mostParts) {
    guard chiredis_load() == nil, let reader = chiredis_reader_create(mostParts) else { return nil }
    self.reader = reader
    self.mostBytes = mostBytes
  }

  deinit { chiredis_reader_free(reader) }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    guard !hasFailed else { throw Failure(message: "its answers made no sense") }
    pendingCount += bytes.count
    guard pendingCount <= mostBytes else {
      throw fail("an answer has more than \(mostBytes) bytes")
    }
    guard let start = bytes.baseAddress else { return }
    guard chiredis_reader_feed(reader, start, bytes.count) != 0 else {
      throw fail("there is no memory for its answer")
    }
  }

  /// The next answer; nil if it is not complete yet.
  func next() throws(Failure) -> RESPValue? {
    guard !hasFailed else { return nil }
    switch chiredis_reader_next(reader) {
    case 0: return nil
    case 1:
      pendingCount = 0
      return value()
    default:
      // The reader's text, copied at once; it may quote the server.
      let reason = String(escapingCString: chiredis_reader_message(reader))
      throw fail("its answers make no sense (\(LogText.part(reason, limit: 100)))")
    }
  }

  private func fail(_ message: String) -> Failure {
    hasFailed = true
    return Failure(message: message)
  }

  private func value() -> RESPValue {
    var count = 0
    // Both are the reader's until it is asked for the next answer.
    let nodes = UnsafeBufferPointer(start: chiredis_reader_nodes(reader, &count), count: count)
    let text = chiredis_reader_text(reader)
    var next = nodes.startIndex
    return RESPReader.value(nodes, text, &next)
  }

  /// - Parameter next: of the nodes, which are as deep as hiredis reads: seven.
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
      // As many as the node says, from where it says: the reader has copied them there.
      let bytes = Array(
        UnsafeRawBufferPointer(start: text.map { $0 + node.offset }, count: Int(node.value)))
      if node.kind == CHIREDIS_BYTES { return .bytes(bytes) }
      let words = String(escaping: bytes)
      return node.kind == CHIREDIS_STATUS ? .status(words) : .failure(words)
    default: return .null
    }
  }
}
