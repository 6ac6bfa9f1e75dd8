import LullCore
import LullSystem

extension SchemaFile {
  /// More than this serves nobody.
  private static let mostBytes = 1 << 30

  /// Reads the file at a path, a regular one.
  ///
  /// - Parameter name: As messages name it; by default the path.
  /// - Throws: Why it cannot be read, or is no file of schemas.
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
