import LullHost
import LullLibC
import LullSystem

/// The snapshots of one test file, stored in `snapshots/NAME.snap` in its folder.
///
///     # Snapshots of repos_test.lua. Written by lull test; `lull test --update` makes them anew.
///
///     == is fresh for 30 s
///     {
///       "id": 1
///     }
struct SnapshotFile {
  struct Problem: Error {
    let text: String
  }

  let path: String
  /// The snapshots, keyed by snapshot key.
  private(set) var entries: [String: String] = [:]

  /// Reads the snapshots of a test file.
  ///
  /// - Parameter file: The path of the test file.
  init(of file: String) throws(Problem) {
    path = SnapshotFile.path(of: file)
    var problem: Int32 = 0
    guard let bytes = SnapshotFile.read(path, &problem) else {
      if problem == 0 { return }
      throw Problem(text: "cannot read '\(path)': \(ErrorText.of(problem))")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(text: "'\(path)' is not UTF-8, so lull test did not write it")
    }
    try read(text)
  }

  static func path(of file: String) -> String {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    let stem = name.hasSuffix(".lua") ? String(name.dropLast(4)) : name
    return FileName.folder(of: file) + "/snapshots/\(stem).snap"
  }

  private static let mark = "== "

  private mutating func read(_ text: String) throws(Problem) {
    var key: String?
    var lines: [Substring] = []
    func place(_ number: Int) -> Problem {
      Problem(text: "'\(path)', line \(number) is not in the format that lull test writes")
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix(SnapshotFile.mark) {
        end(key, lines)
        key = String(line.dropFirst(SnapshotFile.mark.count))
        lines = []
        if let key, entries[key] != nil { throw place(index + 1) }
      } else if key != nil {
        lines.append(line)
      } else if !line.isEmpty, !line.hasPrefix("#") {
        throw place(index + 1)
      }
    }
    end(key, lines)
    if !text.hasSuffix("\n") || key == nil || SnapshotFile.isCut(key.flatMap { entries[$0] } ?? "")
    {
      throw Problem(text: "'\(path)' is cut off at its end: restore it, or delete it")
    }
  }

  /// Returns whether the last snapshot in a file is incomplete, because writing was interrupted.
  private static func isCut(_ value: String) -> Bool {
    if value.isEmpty { return true }
    let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
    switch lines.first {
    case "{"?: return lines.last != "}"
    case "["?: return lines.last != "]"
    default: return false
    }
  }

  private mutating func end(_ key: String?, _ lines: [Substring]) {
    guard let key else { return }
    // In the file, an empty line follows each entry.
    let last = lines.lastIndex { !$0.isEmpty } ?? -1
    entries[key] = lines[...last].joined(separator: "\n")
  }

  mutating func set(_ text: String, for key: String) { entries[key] = text }

  mutating func remove(_ key: String) { entries[key] = nil }

  /// Writes the snapshots of a test file, or deletes their file if there are none.
  ///
  /// - Parameter file: The path of the test file.
  func write(for file: String) throws(Problem) {
    guard !entries.isEmpty else {
      unlinkIfThere()
      return
    }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    var text =
      "# Snapshots of \(name). Written by lull test; `lull test --update` rewrites them.\n"
    for (key, value) in entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      text += "\n\(SnapshotFile.mark)\(key)\n\(value)\n"
    }
    let folder = FileName.folder(of: path)
    if let code = SnapshotFile.make(folder)
      ?? AtomicFile.write(Array(text.utf8), to: Array(path.utf8), .usual)
    {
      throw Problem(text: "cannot write '\(path)': \(ErrorText.of(code))")
    }
  }
}

extension SnapshotFile {
  /// Reads a file. `nil` if the file does not exist, or if it can't be read. In the second case,
  /// `problem` is the error number.
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

  /// Creates a folder unless it already exists. Returns the error number if that fails, otherwise
  /// `nil`.
  static func make(_ folder: String) -> Int32? {
    mkdir(folder, 0o777) == 0 || errno == EEXIST ? nil : errno
  }

  func unlinkIfThere() { unlink(path) }
}

/// The snapshots that the tests of each file have made.
struct SnapshotIndex {
  private struct File {
    var used: Set<String> = []
    var made: [TestSnapshots.Entry] = []
    var hasFailed = false
  }

  private let settings: TestSettings
  private var files: [String: File] = [:]

  init(_ settings: TestSettings) { self.settings = settings }

  /// Adds the snapshots of a test. The snapshots of a failed test are not written.
  ///
  /// - Returns: A key that another test of the file has used too. `nil` if there is none.
  mutating func note(_ reply: TestReply, of file: String, hasPassed: Bool) -> String? {
    if let twice = reply.usedSnapshots.first(where: { files[file]?.used.contains($0) ?? false }) {
      files[file]?.hasFailed = true
      return twice
    }
    files[file, default: File()].used.formUnion(reply.usedSnapshots)
    if hasPassed {
      files[file, default: File()].made += reply.snapshots
    } else {
      files[file, default: File()].hasFailed = true
    }
    return nil
  }

  /// Writes the snapshots that the tests of a file have made.
  ///
  /// - Parameter isWhole: Whether all tests of the file have been run. Unused snapshots are then
  ///   obsolete.
  /// - Returns: The number of snapshots written, and the obsolete snapshots that were not removed.
  mutating func end(
    _ path: String, isWhole: Bool
  ) throws(SnapshotFile.Problem) -> (written: Int, obsolete: [String]) {
    let file = files.removeValue(forKey: path) ?? File()
    var snapshots = try SnapshotFile(of: path)
    var obsolete: [String] = []
    if isWhole, !file.hasFailed {
      obsolete = snapshots.entries.keys.filter { !file.used.contains($0) }.sorted()
    }
    for entry in file.made { snapshots.set(entry.text, for: entry.key) }
    let takesOut = settings.isUpdating && !obsolete.isEmpty
    if takesOut { for key in obsolete { snapshots.remove(key) } }
    if !file.made.isEmpty || takesOut { try snapshots.write(for: path) }
    return (file.made.count, takesOut ? [] : obsolete)
  }
}
