import LullCassettes
import LullSystem

/// The exchanges that tests have recorded. At the end, their drafts become recordings. (CAS-57)
///
/// If a test fails, the recordings that it uses are not changed, because they would lack exchanges
/// that the test needs.
struct RecordingIndex {
  /// The outcome for one recording.
  struct Ending {
    let path: String
    /// The outcome as a sentence. Remarks may follow.
    let text: String
    var remarks: [String] = []
    var hasFailed = false
  }

  private let mode: RecordingMode
  /// The latest draft of each recording. The key is the path with links resolved.
  private var recordings: [[UInt8]: RecordedCassette] = [:]
  private var order: [[UInt8]] = []
  /// For each recording, a failed test that uses it. The key is the path with links resolved.
  private var failed: [[UInt8]: String] = [:]

  init(_ mode: RecordingMode) { self.mode = mode }

  mutating func note(_ reply: TestReply, of test: String, hasPassed: Bool) {
    if !hasPassed {
      for use in reply.cassettes {
        let key = CassetteRecorders.key(of: Array(use.path.utf8))
        failed[key] = failed[key] ?? test
      }
    }
    for recording in reply.recordings {
      let key = CassetteRecorders.key(of: Array(recording.path.utf8))
      if recordings.updateValue(recording, forKey: key) == nil { order.append(key) }
    }
  }

  /// Moves the drafts to their final paths.
  ///
  /// - Parameter isPartial: Whether some tests have not been run. The exchanges that they need are
  ///   kept.
  func end(isPartial: Bool) -> [Ending] {
    order.compactMap { key in
      guard let recording = recordings[key] else { return nil }
      if let test = failed[key] {
        return Ending(
          path: recording.path,
          text: "\(recording.path) is unchanged, because '\(test)' failed")
      }
      return put(recording, at: key, isPartial: isPartial)
    }
  }

  private func put(
    _ recording: RecordedCassette, at path: [UInt8], isPartial: Bool
  ) -> Ending {
    func failed(_ text: String) -> Ending {
      Ending(path: recording.path, text: text, hasFailed: true)
    }
    guard FileStamp.of(path) == recording.before else {
      return failed(
        "\(recording.path) was changed by another process meanwhile, and is not replaced: "
          + "run the tests again to record them")
    }
    var file: HARFile
    do throws(CassetteSet.Problem) {
      file = try TestCassette.read(Array(recording.draft.utf8))
      if mode == .all, isPartial, recording.before != nil {
        file.keep(othersOf: try TestCassette.read(path).entries)
      }
    } catch {
      return failed(error.text)
    }
    if let code = SnapshotFile.make(String(decoding: FileName.folder(of: path), as: UTF8.self))
      ?? AtomicFile.write(file.encoded(), to: path, .usual)
    {
      return failed("cannot write '\(recording.path)': \(ErrorText.of(code))")
    }
    let kept = file.entries.count - recording.newCount
    let exchanges = recording.newCount == 1 ? "exchange" : "exchanges"
    var ending = Ending(
      path: recording.path,
      text: "recorded \(recording.newCount) \(exchanges) in \(recording.path)"
        + (kept > 0 ? ", and kept \(kept)" : ""))
    if !recording.leftovers.isEmpty {
      let shown = recording.leftovers.prefix(RecordingIndex.most)
      let more = recording.leftovers.count - shown.count
      ending.remarks.append(
        "\(recording.path) may contain a token that is not hidden: look at "
          + shown.joined(separator: "; ") + (more > 0 ? "; and \(more) more" : ""))
    }
    return ending
  }

  /// The maximum number of items that a message lists.
  private static let most = 5
}
