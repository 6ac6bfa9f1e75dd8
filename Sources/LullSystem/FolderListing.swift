import LullLibC

/// What is in a folder.
package enum FolderListing {
  package struct Unreadable: Error {
    /// The error number.
    package let code: Int32
  }

  /// The names of all that is in it, hidden ones too, in no order.
  package static func names(in folder: [UInt8]) throws(Unreadable) -> [[UInt8]] {
    guard let directory = opendir(FileName.cString(folder)) else {
      throw Unreadable(code: errno)
    }
    defer { closedir(directory) }
    var names: [[UInt8]] = []
    while let entry = readdir(directory) {
      // The name ends with a NUL, inside the entry.
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        Array(bytes.prefix { $0 != 0 })
      }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    return names
  }

  /// The same as text; what of a name is no UTF-8 is replaced.
  package static func names(in folder: String) throws(Unreadable) -> [String] {
    try names(in: Array(folder.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }
}
