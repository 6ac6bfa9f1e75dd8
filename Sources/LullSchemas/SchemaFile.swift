package import LullCore
import LullSystem
import Synchronization

/// A schema file: the schemas of calls by name, and the definitions to which they refer.
///
/// In the JSON that Lull writes, each entry is on its own line. When a file in this form is opened,
/// only the line starts are searched for, regardless of the size of the file. Each entry is parsed
/// once, on first use. JSON in another form, such as a file written by hand, is parsed as a whole.
/// Usable on any thread.
///
///     {"$schema":"https://json-schema.org/draft/2020-12/schema","calls":{
///     "user":{"responses":{"200":{"$ref":"#/$defs/user"}}}
///     },"$defs":{
///     "user":{"type":"object"}
///     }}
package final class SchemaFile: Sendable {
  /// The name of the file, as used in messages.
  package let name: String
  private let form: Form
  private let parsed = Mutex<[SchemaLines.Entry: JSONElement]>([:])

  private enum Form: Sendable {
    case lines(SchemaLines, [UInt8])
    case whole(JSONElement)
    case schema(JSONElement)
  }

  /// Opens a schema file.
  ///
  /// - Throws: An error if the file as a whole is invalid, with the line of the error. An error in
  ///   a single entry is thrown when the entry is requested.
  package init(_ bytes: [UInt8], name: String) throws(SchemaProblem) {
    self.name = name
    if let lines = SchemaLines(bytes) {
      form = .lines(lines, bytes)
      return
    }
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes)
    } catch {
      let line = error.offset.map { SchemaLines.line(of: $0, in: bytes) }
      throw SchemaProblem("is not JSON: \(error.message)", file: name, line: line)
    }
    guard document.root.kind == .object else {
      throw SchemaProblem(
        "a schema file must be a JSON object with 'calls' and '$defs'", file: name, line: 1)
    }
    for section in ["calls", "$defs"] {
      guard let value = document.root[section], value.kind != .object else { continue }
      throw SchemaProblem("'\(section)' must be an object", file: name)
    }
    form = .whole(document.root)
  }

  /// Creates a file that consists of a single schema. References are resolved within that schema.
  package init(root: JSONElement, name: String) {
    self.name = name
    form = .schema(root)
  }

  /// The schema of a file that consists of a single schema; nil for a file with entries.
  var root: JSONElement? { if case .schema(let root) = form { root } else { nil } }

  /// The names of the calls, in the order of the file.
  package var calls: [String] { names(in: "calls") }

  /// The names of the definitions, in the order of the file.
  package var definitions: [String] { names(in: "$defs") }

  /// Returns the entry of a call; nil if there is none. An entry is an object with `responses` and
  /// optionally `body` and `parameters`.
  package func call(_ name: String) throws(SchemaProblem) -> JSONElement? {
    try entry(name, in: "calls")
  }

  package func definition(_ name: String) throws(SchemaProblem) -> JSONElement? {
    try entry(name, in: "$defs")
  }

  /// Parses the whole file. Returns the problems of all entries that can't be parsed, with their
  /// lines.
  package func problems() -> [SchemaProblem] {
    guard case .lines(let lines, let bytes) = form else { return [] }
    return lines.entries.compactMap { entry in
      do throws(SchemaProblem) {
        _ = try element(entry, bytes)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Returns the entry `name` of a section. A section is a key of the file, such as `calls`.
  package func entry(_ name: String, in section: String) throws(SchemaProblem) -> JSONElement? {
    switch form {
    case .whole(let root), .schema(let root): return root[section]?[name]
    case .lines(let lines, let bytes):
      guard let entry = lines.entry(name, in: section) else { return nil }
      return try element(entry, bytes)
    }
  }

  /// Returns the number of the line on which an entry begins, starting at 1; nil if unknown.
  package func line(of name: String, in section: String) -> Int? {
    guard case .lines(let lines, _) = form else { return nil }
    return lines.entry(name, in: section)?.line
  }

  private func names(in section: String) -> [String] {
    switch form {
    case .whole(let root), .schema(let root): root[section]?.pairs.map(\.key) ?? []
    case .lines(let lines, _): lines.names(in: section)
    }
  }

  private func element(_ entry: SchemaLines.Entry, _ bytes: [UInt8]) throws(SchemaProblem)
    -> JSONElement
  {
    if let element = parsed.withLock({ $0[entry] }) { return element }
    do throws(JSONError) {
      let text = Array(bytes[entry.value])
      let element = try JSONDocument(parsing: text).root
      // Schemas are identified by their place in memory, so all threads must use the element that
      // was parsed first.
      return parsed.withLock { parsed in
        if let first = parsed[entry] { return first }
        parsed[entry] = element
        return element
      }
    } catch {
      throw SchemaProblem("is not JSON: \(error.message)", file: name, line: entry.line)
    }
  }
}

extension SchemaFile {
  /// The size of the largest file that is read, in bytes.
  private static let mostBytes = 1 << 30

  /// Reads a schema file. The file must be a regular file.
  ///
  /// - Parameter name: The name to use in messages. By default, the path.
  /// - Throws: An error if the file can't be read or is not a schema file.
  package static func read(_ path: [UInt8], name: String? = nil) throws(SchemaProblem)
    -> SchemaFile
  {
    let name = name ?? String(escaping: path)
    let bytes: [UInt8]?
    do throws(ReadableFile.Unreadable) {
      let file = try ReadableFile(path)
      let isSmall = file.stamp.size <= mostBytes && MemoryLedger.allows(file.stamp.size)
      bytes = isSmall ? try contents(of: file) : nil
    } catch {
      throw SchemaProblem(error.reason, file: name)
    }
    guard let bytes else { throw SchemaProblem("is too large", file: name) }
    return try SchemaFile(bytes, name: name)
  }

  private static func contents(of file: ReadableFile) throws(ReadableFile.Unreadable) -> [UInt8] {
    var failure: ReadableFile.Unreadable?
    let bytes = [UInt8](unsafeUninitializedCapacity: file.stamp.size) { buffer, count in
      do throws(ReadableFile.Unreadable) {
        while count < buffer.count {
          let rest = UnsafeMutableRawBufferPointer(buffer)[count...]
          let read = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: rest), at: count)
          if read == 0 { break }
          count += read
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// The position of a schema in its document. It identifies the schema, regardless of the reference
/// by which the schema was found.
struct SchemaPlace: Hashable {
  private let document: Int64
  private let index: Int

  init(_ element: JSONElement) {
    document = element.document.serial
    index = element.index
  }
}
