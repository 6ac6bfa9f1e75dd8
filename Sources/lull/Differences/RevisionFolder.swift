import LullLibC
import LullCore
import LullSystem

/// The files of Lua that a revision of a repository has below some folders, put where they can be run: gone with this object.
final class RevisionFolder {
  typealias Problem = GitProgram.Problem

  let revision: String
  private let root: String
  /// By the folder in the working tree.
  private var folders: [String: String] = [:]

  /// How many files of Lua a folder may have.
  private static let most = 2000

  init(_ revision: String) throws(Problem) {
    self.revision = revision
    let base = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    var name = Array(((base ?? "/tmp") + "/lull-diff-XXXXXX").utf8CString)
    guard mkdtemp(&name) != nil else {
      throw Problem(message: "there is no room for files: \(ErrorText.of(errno))")
    }
    root = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  deinit { RevisionFolder.remove(root) }

  /// Where the file of that path in the working tree stands here; nil if the revision does not have it.
  func file(_ path: String) throws(Problem) -> String? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let place = try self.place(of: FileName.folder(of: path)) + "/" + name
    return access(place, F_OK) == 0 ? place : nil
  }

  /// A path as people know it, as messages name it.
  func shown(_ path: String) -> String {
    for (folder, place) in folders where path.hasPrefix(place + "/") {
      let rest = path.dropFirst(place.count + 1)
      return "\(revision):" + (folder == "." ? "" : "\(folder)/") + rest
    }
    return path
  }

  /// The same in a text.
  func shown(in text: String) -> String {
    folders.reduce(text) { text, entry in
      text.replacing(
        entry.value + "/", with: "\(revision):" + (entry.key == "." ? "" : "\(entry.key)/"))
    }
  }

  private func place(of folder: String) throws(Problem) -> String {
    if let known = folders[folder] { return known }
    let place = "\(root)/\(folders.count)"
    folders[folder] = place
    mkdir(place, 0o700)
    let list = try GitProgram.run(["ls-tree", "-r", "-z", revision], in: folder)
    var count = 0
    for entry in list.split(separator: 0) {
      // `100644 blob DIGEST<tab>path`; links and modules of Git are no files.
      guard let tab = entry.firstIndex(of: 9), entry.starts(with: "100".utf8),
        let path = String(validating: entry[(tab + 1)...], as: UTF8.self), path.hasSuffix(".lua"),
        !path.split(separator: "/").contains("..")
      else { continue }
      count += 1
      guard count <= RevisionFolder.most else {
        throw Problem(
          message:
            "the folder '\(folder)' has more than \(RevisionFolder.most) files of Lua in \(revision)"
        )
      }
      let bytes = try GitProgram.run(
        ["show", "--no-textconv", "\(revision):./\(path)"], in: folder)
      try write(bytes, path, below: place)
    }
    return place
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

  /// What is below is ours: no links, and as deep as the repository has it.
  private static func remove(_ path: String) {
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
    for name in names { remove("\(path)/\(name)") }
    rmdir(path)
  }
}
