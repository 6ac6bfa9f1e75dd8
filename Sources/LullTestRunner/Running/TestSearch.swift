import LullLibC
import LullSystem

/// Finds test files in files and folders, or files with another ending.
package struct TestSearch {
  /// The files that were found, without duplicates. The files of each folder are sorted.
  package private(set) var files: [String] = []
  /// The error messages about paths that could not be read.
  package private(set) var problems: [String] = []
  /// The device and inode numbers of the visited folders. A folder that contains a link to itself
  /// is not visited twice.
  private var seen: Set<[UInt64]> = []

  package static let ending = "_test.lua"

  private let ending: String

  /// - Parameter ending: The ending of the file names that are searched for in folders. A file that
  ///   is named explicitly may have any name.
  package init(_ words: [String], ending: String = TestSearch.ending) {
    self.ending = ending
    for word in words { visit(word, isNamed: true) }
  }

  private mutating func visit(_ path: String, isNamed: Bool) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      // A broken link inside a folder is ignored.
      if isNamed { problems.append("cannot read '\(path)': \(ErrorText.of(errno))") }
      return
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    guard isFolder || isNamed || path.hasSuffix(ending) else { return }
    guard isFolder || status.st_mode & S_IFMT == S_IFREG else {
      if isNamed { problems.append("cannot read '\(path)': it is neither a file nor a folder") }
      return
    }
    guard seen.insert([UInt64(status.st_dev), UInt64(status.st_ino)]).inserted else { return }
    guard isFolder else {
      files.append(path)
      return
    }
    var names: [String] = []
    do throws(FolderListing.Unreadable) {
      for bytes in try FolderListing.names(in: Array(path.utf8)) {
        let shown = String(decoding: bytes, as: UTF8.self)
        if String(validating: bytes, as: UTF8.self) != nil {
          if !shown.hasPrefix(".") { names.append(shown) }
        } else if shown.hasSuffix(ending) {
          problems.append("cannot read '\(path)/\(shown)': its name is not UTF-8")
        }
      }
    } catch {
      problems.append("cannot read '\(path)': \(ErrorText.of(error.code))")
      return
    }
    let folder = path == "." ? "" : path.hasSuffix("/") ? path : path + "/"
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      visit(folder + name, isNamed: false)
    }
  }
}
