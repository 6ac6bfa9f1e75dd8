import LullSystem

/// The state of the files that tests depend on: scripts, recordings and snapshots in certain
/// folders, and other files that are watched by name.
struct WatchedFiles: Equatable {
  /// The state of each file. The key is the path.
  private(set) var stamps: [String: FileStamp] = [:]
  /// The paths of files outside of the watched folders, which are watched by name.
  private var named: Set<String> = []
  /// The paths of all folders that must be watched.
  private(set) var folders: Set<String> = []

  private static let endings = [".lua", ".har", ".snap"]
  /// The maximum number of folders. A larger tree is not a test folder.
  private static let most = 20_000

  /// Reads the current state of the files.
  ///
  /// - Parameters:
  ///   - folders: Folders to search, including their subfolders except hidden ones.
  ///   - files: Files that tests have loaded from elsewhere.
  init(below folders: Set<String>, and files: Set<String>) {
    var seen: Set<String> = []
    for folder in folders.sorted() { visit(folder, &seen) }
    for file in files {
      let path = file.hasPrefix("./") ? String(file.dropFirst(2)) : file
      guard stamps[path] == nil else { continue }
      let folder = FileName.folder(of: path)
      if FileName.isFolder(folder) { self.folders.insert(folder) }
      named.insert(path)
      note(path)
    }
  }

  private mutating func note(_ file: String) {
    if let stamp = FileStamp.of(Array(file.utf8)) { stamps[file] = stamp }
  }

  private mutating func visit(_ folder: String, _ seen: inout Set<String>) {
    // A link may lead to a folder that contains it, so visit each folder once.
    let folder = folder.hasPrefix("./") && folder.count > 2 ? String(folder.dropFirst(2)) : folder
    guard let real = FileName.resolved(folder), seen.insert(real).inserted,
      seen.count <= WatchedFiles.most, let names = try? FolderListing.names(in: folder)
    else { return }
    folders.insert(folder)
    for name in names where !name.hasPrefix(".") {
      let path = folder == "." ? name : "\(folder)/\(name)"
      if WatchedFiles.endings.contains(where: { name.hasSuffix($0) }) {
        note(path)
      } else if FileName.isFolder(path) {
        visit(path, &seen)
      }
    }
  }

  /// Returns the paths of files that were added, deleted or changed, sorted.
  func changes(since before: WatchedFiles) -> [String] {
    Set(stamps.keys).union(before.stamps.keys).filter { stamps[$0] != before.stamps[$0] }.sorted()
  }

  /// Adopts the new state of files whose changes must be ignored: files that tests write
  /// themselves, and files that are watched only since tests have loaded them.
  mutating func take(writtenIn other: WatchedFiles) {
    for path in Set(stamps.keys).union(other.stamps.keys)
    where path.hasSuffix(".snap") || path.hasSuffix(".har")
      || stamps[path] == nil && other.named.contains(path)
    {
      stamps[path] = other.stamps[path]
    }
  }
}
