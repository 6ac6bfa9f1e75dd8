import LullLibC
import LullHost
import LullSystem

extension SnapshotFile {
  /// The bytes of a file; nil without one, or with the error number why not.
  static func read(_ path: String, _ problem: inout Int32) -> [UInt8]? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      problem = errno == ENOENT || errno == ENOTDIR ? 0 : errno
      return nil
    }
    switch TextFile.read(Array(path.utf8)) {
    case .success(let bytes): return bytes
    case .failure:
      problem = EACCES
      return nil
    }
  }

  /// Makes a folder unless it is there; the error number if that cannot be.
  static func make(_ folder: String) -> Int32? {
    mkdir(folder, 0o777) == 0 || errno == EEXIST ? nil : errno
  }

  func unlinkIfThere() { unlink(path) }
}
