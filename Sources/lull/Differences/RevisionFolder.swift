import LullLibC
import LullCore
import LullSystem

/// Lua files from a revision of a repository, and the schemas next to them, extracted so that API
/// files can be run. The extracted files are deleted with this object.
final class RevisionFolder {
  typealias Problem = GitProgram.Problem

  /// A folder of the working tree in the state of the revision.
  private struct Folder {
    /// The temporary folder that the files are extracted to.
    let place: String
    /// The object name of the revision's tree.
    let tree: String
    /// Paths of symbolic links, which are not followed.
    var links: Set<String> = []
    /// Paths of Lua files.
    var files: Set<String> = []
  }

  let revision: String
  private let root: TemporaryFolder
  /// The extracted folders. A key is the path of the folder in the working tree.
  private var folders: [String: Folder] = [:]

  /// The maximum number of Lua files in a folder.
  private static let most = 2000

  init(_ revision: String) throws(Problem) {
    self.revision = revision
    guard let root = TemporaryFolder("lull-diff") else {
      throw Problem(message: "cannot create a temporary folder: \(ErrorText.of(errno))")
    }
    self.root = root
  }

  deinit { root.remove() }

  /// The extracted copy of a file in the working tree, and the file's path in the revision. `nil`
  /// if the revision does not have the file, not even under another name.
  func file(_ path: String) throws(Problem) -> (place: String, known: String)? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let folder = try self.folder(FileName.folder(of: path))
    guard !folder.links.contains(name) else {
      throw Problem(
        message: "\(revision):\(path) is a symbolic link: name the file that it leads to")
    }
    if access(folder.place + "/" + name, F_OK) == 0 { return (folder.place + "/" + name, path) }
    guard let old = try formerName(of: name, in: FileName.folder(of: path), folder),
      access(folder.place + "/" + old, F_OK) == 0
    else { return nil }
    return (folder.place + "/" + old, String(path.dropLast(name.count)) + old)
  }

  /// The folders of the extracted files, and the corresponding folders in the revision. All end
  /// with a slash.
  private var places: [(here: String, there: String)] {
    folders.map { ($0.value.place + "/", $0.key == "." ? "" : "\($0.key)/") }
  }

  /// Replaces the paths of extracted files in a text with the paths in the revision.
  func shown(in text: String) -> String {
    places.reduce(text) { $0.replacing($1.here, with: "\(revision):\($1.there)") }
  }

  /// The path of a renamed file in the revision, as detected by Git. `nil` if the file is new.
  ///
  /// Files of the working tree are copied out of the repository before they are compared. Inside
  /// the repository, Git would run the filters that its configuration names.
  private func formerName(
    of name: String, in place: String, _ folder: Folder
  ) throws(Problem) -> String? {
    var now: Set<String> = []
    for path in try GitProgram.run(["ls-files", "-z", "--", "*.lua"], in: place).split(separator: 0)
    {
      if let path = String(validating: path, as: UTF8.self) { now.insert(path) }
    }
    now = now.union([name]).filter { isFile("\(place)/\($0)") }
    let gone = folder.files.filter { !isFile("\(place)/\($0)") }
    guard !gone.isEmpty, now.contains(name) else { return nil }
    let (before, after) = (folder.place + ".gone", folder.place + ".new")
    for path in gone { try copy("\(folder.place)/\(path)", path, below: before) }
    for path in now.subtracting(folder.files) { try copy("\(place)/\(path)", path, below: after) }
    return try GitProgram.formerName(of: name, from: before, to: after)
  }

  private func isFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private func copy(_ source: String, _ path: String, below place: String) throws(Problem) {
    guard !SignalHold.isInterrupted else { throw Problem(message: "") }
    let bytes: [UInt8]
    do throws(InputFile.Unreadable) {
      bytes = try InputFile.read(source)
    } catch {
      throw Problem(message: "cannot read \(error.message)")
    }
    mkdir(place, 0o700)
    try write(bytes, path, below: place)
  }

  private func folder(_ name: String) throws(Problem) -> Folder {
    if let known = folders[name] { return known }
    var folder = Folder(place: "\(root.path)/\(folders.count)", tree: try tree(in: name))
    mkdir(folder.place, 0o700)
    var count = 0
    for entry in try GitProgram.run(["ls-tree", "-r", "-z", folder.tree], in: name)
      .split(separator: 0)
    {
      // `100644 blob DIGEST<tab>path`. Symbolic links and submodules are not files.
      guard let tab = entry.firstIndex(of: 9),
        let path = String(validating: entry[(tab + 1)...], as: UTF8.self),
        // Schemas are in the same folder as the API file.
        path.hasSuffix(".lua") || path.hasSuffix(".json") && !path.contains("/"),
        !path.split(separator: "/").contains("..")
      else { continue }
      if entry.starts(with: "120000 ".utf8) { folder.links.insert(path) }
      guard entry.starts(with: "100".utf8) else { continue }
      count += 1
      guard count <= RevisionFolder.most else {
        throw Problem(
          message:
            "the folder '\(name)' has more than \(RevisionFolder.most) Lua files in \(revision)"
        )
      }
      guard !SignalHold.isInterrupted else { throw Problem(message: "") }
      let digest = entry[..<tab].split(separator: 32).last.map { String(escaping: $0) } ?? ""
      let bytes = try GitProgram.run(["cat-file", "blob", digest], in: name)
      try write(bytes, path, below: folder.place)
      if path.hasSuffix(".lua") { folder.files.insert(path) }
    }
    folders[name] = folder
    return folder
  }

  /// The object name of the revision's tree, so that all files come from one revision even if the
  /// repository changes meanwhile.
  private func tree(in folder: String) throws(Problem) -> String {
    guard !revision.isEmpty, !revision.hasPrefix("-") else {
      throw Problem(message: "'\(revision)' is not a Git revision")
    }
    do throws(Problem) {
      let digest = try GitProgram.run(
        ["rev-parse", "--verify", "--quiet", revision + "^{tree}"], in: folder)
      return String(escaping: digest.prefix { $0 != 10 })
    } catch {
      guard error.code == 1 else { throw error }
      let isShallow = try? GitProgram.run(["rev-parse", "--is-shallow-repository"], in: folder)
      let hint =
        isShallow?.starts(with: "true".utf8) == true
        ? "; it is a shallow clone: git fetch --unshallow loads the full history" : ""
      throw Problem(
        message: "the repository of '\(folder)' has no revision '\(revision)'\(hint)")
    }
  }

  private func write(_ bytes: [UInt8], _ path: String, below place: String) throws(Problem) {
    let parts = path.split(separator: "/").dropLast()
    for count in parts.indices {
      mkdir(place + "/" + parts[...count].joined(separator: "/"), 0o700)
    }
    if let code = AtomicFile.write(bytes, to: Array("\(place)/\(path)".utf8), .exactly(0o600)) {
      throw Problem(message: "a file of \(revision) cannot be written: \(ErrorText.of(code))")
    }
  }
}
