import LullCore
import LullTransport

/// What a file of schemas was when it was imported, by its digest, as the last line of what is kept of the API file.
struct SchemasMark {
  private static let start = Array("-- Schemas as they were imported: ".utf8)

  private let digest: [UInt8]

  /// - Parameter schemas: whose line breaks may be those of another system.
  init(of schemas: [UInt8]) {
    let digest = Digest.sha256.of(schemas.filter { $0 != UInt8(ascii: "\r") })
    self.digest = Array((digest.map { Hexadecimal.text($0) } ?? "").utf8)
  }

  private init(digest: [UInt8]) {
    self.digest = digest
  }

  var line: [UInt8] { SchemasMark.start + digest + [10] }

  /// Whether those are the schemas, as far as that is known: there may be no library for digests.
  func fits(_ schemas: [UInt8]) -> Bool {
    let other = SchemasMark(of: schemas).digest
    return digest == other || digest.isEmpty || other.isEmpty
  }

  /// What was kept, without the mark behind it.
  static func split(_ kept: [UInt8]) -> (text: [UInt8], mark: SchemasMark?) {
    let lines = kept.split(separator: 10, omittingEmptySubsequences: false)
    guard lines.count > 1, lines[lines.count - 1].isEmpty,
      lines[lines.count - 2].starts(with: start)
    else { return (kept, nil) }
    let line = lines[lines.count - 2]
    let digest = line.dropFirst(start.count).filter { $0 != UInt8(ascii: "\r") }
    return (Array(kept[..<line.startIndex]), SchemasMark(digest: digest))
  }
}
