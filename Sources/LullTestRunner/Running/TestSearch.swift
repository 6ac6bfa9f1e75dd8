import LullLibC
import LullSystem

/// The files of tests, or of another ending, among files and folders.
package struct TestSearch {
  /// Sorted within each folder, each once.
  package private(set) var files: [String] = []
  /// What could not be read, in sentences.
  package private(set) var problems: [String] = []
  /// By device and number: a folder that leads back into itself is not entered twice.
  private var seen: Set<[UInt64]> = []

  package static let ending = "_test.lua"

  private let ending: String

  /// - Parameter ending: what the names end with that are found in folders; those that are named may be called
  ///   anything.
  package init(_ words: [String], ending: String = TestSearch.ending) {
    self.ending = ending
    for word in words { visit(word, isNamed: true) }
  }

  private mutating func visit(_ path: String, isNamed: Bool) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      // A link that leads nowhere is nobody's test.
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
