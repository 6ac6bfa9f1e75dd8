import LullLibC
import LullSystem

/// Names of files, for completion.
enum FilePaths {
  /// What a folder holds; those of folders end in a slash, hidden ones are left out.
  static func entries(of folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < 2000, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard !name.hasPrefix(".") else { continue }
      names.append(FileName.isFolder(folder + "/" + name) ? name + "/" : name)
    }
    return names.sorted()
  }

  /// The paths that begin so.
  static func starting(with prefix: String) -> [String] {
    let slash = prefix.lastIndex(of: "/")
    let folder = slash.map { String(prefix[...$0]) } ?? ""
    return entries(of: folder.isEmpty ? "." : folder).map { folder + $0 }
      .filter { $0.hasPrefix(prefix) }
  }
}
