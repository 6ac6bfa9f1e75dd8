import LullCassettes

/// Recordings that were read for one test, for those of the next one: it is not read and searched for
/// credentials again as long as the bytes of its file are the same.
final class CassetteShelf {
  private struct Key: Hashable {
    let path: [UInt8]
    let headers: [String]
  }

  private var kept: [Key: (bytes: [UInt8], cassette: TestCassette)] = [:]
  private var size = 0

  /// In bytes of files; what would be more is read each time.
  private static let room = 32 << 20

  /// As it is at its start.
  func cassette(of path: [UInt8], _ headers: [String], _ bytes: [UInt8]) -> TestCassette? {
    guard let known = kept[Key(path: path, headers: headers)], known.bytes == bytes else {
      return nil
    }
    return known.cassette
  }

  func keep(_ cassette: TestCassette, of path: [UInt8], _ headers: [String], _ bytes: [UInt8]) {
    let key = Key(path: path, headers: headers)
    size -= kept.removeValue(forKey: key)?.bytes.count ?? 0
    guard size + bytes.count <= CassetteShelf.room else { return }
    kept[key] = (bytes, cassette)
    size += bytes.count
  }
}
