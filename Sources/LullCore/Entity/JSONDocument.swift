package import CSimdjson
package import LullSystem
import Synchronization

/// A parsed JSON text, immutable and shared by all readers.
///
/// Parsing follows RFC 8259 strictly (JSN-11) in UTF-8, UTF-16 or UTF-32 (JSN-15), up to 1,000
/// levels (JSN-14). Any value may be the root (JSN-04). Only the parser's compact form is stored:
/// read it through `root`, or as plain Swift values with `root.plainValue`.
///
/// Documents may be made and read on any thread.
///
///     let document = try JSONDocument(parsing: body)
///     let name = document.root["user"]?["name"]?.string
public final class JSONDocument: Sendable {
  // Never null, and freed only in deinit. The indices of large containers, which change later, have
  // their own lock.
  nonisolated(unsafe) package let pointer: OpaquePointer

  // Points into memory of `pointer`, which isn't written to after parsing.
  nonisolated(unsafe) package let view: csj_view

  /// Whether the document was made from a body with one JSON value per line. Its root is the list
  /// of these values. (JSN-20)
  package let hasLines: Bool

  /// Whether the document has been the data of a resource. All readers share such a document.
  private let published = Atomic<Bool>(false)
  /// The number of times a script's host has requested the Lua tables that it had built from this
  /// document.
  private let handOuts = Atomic<UInt32>(0)

  package var isPublished: Bool { published.load(ordering: .relaxed) }
  package func publish() { published.store(true, ordering: .relaxed) }

  package func forgetHandOuts() { handOuts.store(0, ordering: .relaxed) }

  /// Increments the number of requests for the tables, and returns the new number.
  package func countHandOut() -> UInt32 {
    handOuts.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// A number that is unique in the process. A script's host uses it to find the tables that it has
  /// built from the document, and shares these tables.
  package let serial = JSONDocument.nextSerial()

  /// Decoded values by type. A value is returned when its type is requested again.
  let decodedValues = Mutex<[ObjectIdentifier: any Sendable]>([:])

  private static let serials = Atomic<Int64>(1)

  private static func nextSerial() -> Int64 {
    serials.add(1, ordering: .relaxed).newValue
  }

  /// Prepares parsing on several threads. Must be called on the home thread before another thread
  /// parses, because a stock Lua interpreter may end while that thread is parsing.
  package static func prepareForThreads() { csj_prepare_for_threads() }

  /// Parses the bytes, which need not outlive the call.
  ///
  /// - Throws: What is wrong with the text, and where.
  public init(parsing bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var error = csj_error()
    // Reads `count` bytes and keeps no pointer to them.
    guard let pointer = csj_parse(bytes.baseAddress, bytes.count, &error) else {
      throw JSONError(error)
    }
    self.pointer = pointer
    view = csj_document_view(pointer)
    hasLines = false
  }

  /// Parses the JSON list of values that was made from the lines of a body.
  package convenience init(lines list: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var error = csj_error()
    // Reads `count` bytes and keeps no pointer to them.
    guard let pointer = csj_parse(list.baseAddress, list.count, &error) else {
      throw JSONError(error)
    }
    self.init(owning: pointer, hasLines: true)
  }

  /// Makes a document from parsed text that C code owns. The text is shared, not copied.
  package convenience init(sharing pointer: OpaquePointer) {
    csj_retain(pointer)
    self.init(owning: pointer)
  }

  private init(owning pointer: OpaquePointer, hasLines: Bool = false) {
    self.pointer = pointer
    view = csj_document_view(pointer)
    self.hasLines = hasLines
  }

  /// Parses bytes as JSON text.
  ///
  /// - Throws: What is wrong with the text, and where.
  public convenience init(parsing bytes: [UInt8]) throws(JSONError) {
    var error = csj_error()
    // Reads `count` bytes and keeps no pointer to them. The array is held during the call.
    let parsed = bytes.withUnsafeBufferPointer { csj_parse($0.baseAddress, $0.count, &error) }
    guard let parsed else { throw JSONError(error) }
    self.init(owning: parsed)
  }

  deinit {
    // Every reader of the tape holds the document, so there are no readers now.
    csj_free(pointer)
  }

  /// The root value.
  public var root: JSONElement { JSONElement(document: self, index: CSJ_ROOT) }

  /// The size of the document in memory, in bytes.
  public var memory: Int { csj_bytes(pointer) }
}

/// Why a text is not JSON, or a value can't be written as JSON. (JSN-03, REQ-13)
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The problem, without a full stop.
  public var message: String
  /// The position of the problem in the text, in bytes from the start of the text; nil if unknown.
  public var offset: Int?
  /// The JSON Pointer of the value that can't be written. (DYN-02)
  public var path: String?

  /// Makes an error, for a custom JSON reader or writer.
  public init(_ message: String, offset: Int? = nil, path: String? = nil) {
    self.message = message
    self.offset = offset
    self.path = path
  }

  init(_ error: csj_error) {
    // `message` is a string literal in C.
    message = error.message.map { String(cString: $0) } ?? "malformed"
    offset = error.offset >= 0 ? Int(error.offset) : nil
  }

  public var description: String {
    if let offset { return "\(message) at byte \(offset)" }
    if let path, !path.isEmpty { return "\(message) at \(path)" }
    return message
  }
}

extension LibraryVersion {
  /// The version of the JSON parser with which Lull was built.
  package static var simdjson: LibraryVersion {
    LibraryVersion("simdjson", for: "JSON", debian: "libsimdjson-dev") { _ in csj_version() }
  }
}
