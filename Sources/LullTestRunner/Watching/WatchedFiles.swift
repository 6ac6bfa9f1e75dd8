import LullSystem

/// The files that tests depend on, and what they were like: scripts, recordings and snapshots below some folders, and
/// others by their names.
struct WatchedFiles: Equatable {
  /// By path.
  private(set) var stamps: [String: FileStamp] = [:]
  /// Those that are known by their names alone.
  private var named: Set<String> = []
  /// All folders there are, which have to be watched.
  private(set) var folders: Set<String> = []

  private static let endings = [".lua", ".har", ".snap"]
  /// A tree that is larger is no folder of tests.
  private static let most = 20_000

  /// Looks at them now.
  ///
  /// - Parameters:
  ///   - folders: with the folders in them, but no hidden ones.
  ///   - files: those that were loaded from elsewhere.
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
    // A link may lead back.
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

  /// What is new, gone, or another than before; sorted.
  func changes(since before: WatchedFiles) -> [String] {
    Set(stamps.keys).union(before.stamps.keys).filter { stamps[$0] != before.stamps[$0] }.sorted()
  }

  /// What tests write themselves is taken as it is there, and what is known only since they have loaded it.
  mutating func take(writtenIn other: WatchedFiles) {
    for path in Set(stamps.keys).union(other.stamps.keys)
    where path.hasSuffix(".snap") || path.hasSuffix(".har")
      || stamps[path] == nil && other.named.contains(path)
    {
      stamps[path] = other.stamps[path]
    }
  }
}
