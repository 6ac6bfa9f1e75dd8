import LullHost
import LullSystem

/// The snapshots of one file of tests: `snapshots/NAME.snap` beside it.
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
  /// Each by its key.
  private(set) var entries: [String: String] = [:]

  /// - Parameter file: that of the tests.
  init(of file: String) throws(Problem) {
    path = SnapshotFile.path(of: file)
    var problem: Int32 = 0
    guard let bytes = SnapshotFile.read(path, &problem) else {
      if problem == 0 { return }
      throw Problem(text: "cannot read '\(path)': \(ErrorText.of(problem))")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(text: "'\(path)' is no UTF-8: it is not as lull test has written it")
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
      Problem(text: "'\(path)', line \(number): not as lull test has written it")
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

  /// Whether the last value of a file lacks its end.
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
    // An empty line stands behind each.
    let last = lines.lastIndex { !$0.isEmpty } ?? -1
    entries[key] = lines[...last].joined(separator: "\n")
  }

  mutating func set(_ text: String, for key: String) { entries[key] = text }

  mutating func remove(_ key: String) { entries[key] = nil }

  /// Writes it whole; without any, there is no file.
  ///
  /// - Parameter file: that of the tests.
  func write(for file: String) throws(Problem) {
    guard !entries.isEmpty else {
      unlinkIfThere()
      return
    }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    var text =
      "# Snapshots of \(name). Written by lull test; `lull test --update` makes them anew.\n"
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
