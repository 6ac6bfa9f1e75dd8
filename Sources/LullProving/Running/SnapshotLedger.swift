/// What the tests of each file have made of their snapshots.
struct SnapshotLedger {
  private struct File {
    var used: Set<String> = []
    var made: [ProofSnapshots.Entry] = []
    var hasFailed = false
  }

  private let settings: ProofSettings
  private var files: [String: File] = [:]

  init(_ settings: ProofSettings) { self.settings = settings }

  /// What a test that fails would have written is not.
  ///
  /// - Returns: what another test of the file has asked for, too.
  mutating func note(_ reply: ProofReply, of file: String, hasPassed: Bool) -> String? {
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

  /// Writes what the tests of a file have made.
  ///
  /// - Parameter isWhole: whether all of its tests were run, so that what none has asked for is not needed.
  /// - Returns: how many were written, and those that nobody asks for any more, if they are still there.
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
