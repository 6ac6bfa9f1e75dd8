import LullLibC
import LullSystem

/// The folder that has what tests keep in files while they run.
enum ProofFolder {
  /// A new one, for the user alone; nil with `errno` if it cannot be made.
  static func make() -> String? {
    let place = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var name = FileName.cString(Array("\(place.isEmpty ? "/tmp" : place)/lull-test-XXXXXX".utf8))
    guard mkdtemp(&name) != nil else { return nil }
    return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Takes it away with all that is in it; links are not followed.
  static func remove(_ path: String) {
    guard let directory = opendir(path) else {
      unlink(path)
      return
    }
    var names: [String] = []
    while let entry = readdir(directory) {
      // The name ends with a NUL, inside the entry.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    closedir(directory)
    for name in names {
      let inner = "\(path)/\(name)"
      if FileName.isLink(Array(inner.utf8)) { unlink(inner) } else { remove(inner) }
    }
    rmdir(path)
  }
}
