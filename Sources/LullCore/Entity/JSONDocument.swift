package import CSimdjson
import Synchronization

/// One parsed JSON text: immutable, and shared by everybody who reads it.
///
/// Parsing follows RFC 8259 strictly (JSN-11) in UTF-8, UTF-16 or UTF-32 (JSN-15), to a depth of
/// 1,000 levels (JSN-14); any value may be outermost (JSN-04). Nothing is built beyond the parser's
/// own compact form: read it through `root`, or as plain Swift values with `root.plainValue`.
///
/// A document may be made and read on any thread.
///
///     let document = try JSONDocument(parsing: body)
///     let name = document.root["user"]?["name"]?.string
public final class JSONDocument: Sendable {
  // Never null and not freed before deinit. What changes behind it, the indices of large
  // containers, has a lock of its own.
  nonisolated(unsafe) package let pointer: OpaquePointer

  // Points into what `pointer` holds, which nothing writes to after parsing.
  nonisolated(unsafe) package let view: csj_view

  /// Whether it is the list of what stood on the lines of a body. (JSN-20)
  package let hasLines: Bool

  /// Whether it has been the data of a resource, which all share who read that.
  private let published = Atomic<Bool>(false)
  /// How often a script's host was asked again for the tables that it has built.
  private let handOuts = Atomic<UInt32>(0)

  package var isPublished: Bool { published.load(ordering: .relaxed) }
  package func publish() { published.store(true, ordering: .relaxed) }

  package func forgetHandOuts() { handOuts.store(0, ordering: .relaxed) }

  /// Counts one more; how many that are.
  package func countHandOut() -> UInt32 {
    handOuts.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Different for every document of the process; a script's host shares the tables it built by it.
  package let serial = JSONDocument.nextSerial()

  /// What has been decoded of it: whoever asks again for the same type has it.
  let decodedValues = Mutex<[ObjectIdentifier: any Sendable]>([:])

  private static let serials = Atomic<Int64>(1)

  private static func nextSerial() -> Int64 {
    serials.add(1, ordering: .relaxed).newValue
  }

  /// To be called on the home thread before another thread parses: a stock interpreter may end while it
  /// does.
  package static func prepareForThreads() { csj_prepare_for_threads() }

  /// Parses the bytes, which need not outlive the call.
  ///
  /// - Throws: What is wrong with them, and where.
  public init(parsing bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var error = csj_error()
    // Reads `count` bytes and keeps none.
    guard let pointer = csj_parse(bytes.baseAddress, bytes.count, &error) else {
      throw JSONError(error)
    }
    self.pointer = pointer
    view = csj_document_view(pointer)
    hasLines = false
  }

  /// Parses the list of what stands on the lines of a body.
  package convenience init(lines list: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var error = csj_error()
    // Reads `count` bytes and keeps none.
    guard let pointer = csj_parse(list.baseAddress, list.count, &error) else {
      throw JSONError(error)
    }
    self.init(owning: pointer, hasLines: true)
  }

  /// Another owner of a document that C code holds.
  package convenience init(sharing pointer: OpaquePointer) {
    csj_retain(pointer)
    self.init(owning: pointer)
  }

  private init(owning pointer: OpaquePointer, hasLines: Bool = false) {
    self.pointer = pointer
    view = csj_document_view(pointer)
    self.hasLines = hasLines
  }

  /// Parses the bytes.
  ///
  /// - Throws: What is wrong with them, and where.
  public convenience init(parsing bytes: [UInt8]) throws(JSONError) {
    var error = csj_error()
    // As above; the array is held during the call.
    let parsed = bytes.withUnsafeBufferPointer { csj_parse($0.baseAddress, $0.count, &error) }
    guard let parsed else { throw JSONError(error) }
    self.init(owning: parsed)
  }

  deinit {
    // Whoever reads the tape holds the document, so nobody does any more.
    csj_free(pointer)
  }

  /// The outermost value.
  public var root: JSONElement { JSONElement(document: self, index: CSJ_ROOT) }

  /// The memory the document holds, in bytes.
  public var memory: Int { csj_bytes(pointer) }
}

/// Why a text is not JSON, or a value cannot be written as JSON. (JSN-03, REQ-13)
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong, in words, without full stop.
  public var message: String
  /// The place in the text, in bytes from its start, where it is known.
  public var offset: Int?
  /// The JSON Pointer of the value that cannot be written. (DYN-02)
  public var path: String?

  /// An error of a reader or writer of one's own.
  public init(_ message: String, offset: Int? = nil, path: String? = nil) {
    self.message = message
    self.offset = offset
    self.path = path
  }

  init(_ error: csj_error) {
    // `message` is a string literal of the C side.
    message = error.message.map { String(cString: $0) } ?? "malformed"
    offset = error.offset >= 0 ? Int(error.offset) : nil
  }

  public var description: String {
    if let offset { return "\(message) at byte \(offset)" }
    if let path, !path.isEmpty { return "\(message) at \(path)" }
    return message
  }
}
