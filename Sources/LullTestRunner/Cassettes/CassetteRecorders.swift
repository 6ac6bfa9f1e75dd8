import LullLibC
import LullCassettes
import LullCore
import LullSystem

/// The recordings that a worker makes for all its tests. An exchange that one test has recorded
/// also answers later tests, so every test gets the same responses as in a replay. (CAS-50)
///
/// After each test that passes, the redacted recording is written to a draft. At the end, the main
/// process moves the drafts to their final paths.
final class CassetteRecorders {
  let mode: RecordingMode
  /// The folder that contains the drafts.
  private let folder: String
  private var recorders: [[UInt8]: CassetteRecorder] = [:]
  /// The state of each recording's file when it was read. The key is the path with links resolved.
  private var stamps: [[UInt8]: FileStamp] = [:]
  /// Whether only some of the tests are run. In that case, exchanges that other tests need are
  /// kept.
  var isPartial = false

  init(_ mode: RecordingMode, folder: String) {
    self.mode = mode
    self.folder = folder
  }

  /// The highest number that a stand-in has in any of the recordings.
  var standInCount: Int { recorders.values.map(\.standInCount).max() ?? 0 }

  /// Returns the recorder for a path, in its state at the beginning of a test.
  func recorder(of path: [UInt8]) throws(CassetteSet.Problem) -> CassetteRecorder {
    let key = CassetteRecorders.key(of: path)
    if let recorder = recorders[key] { return recorder }
    stamps[key] = FileStamp.of(path)
    let recorder: CassetteRecorder
    let draft = Array(draftPath(of: key).utf8)
    if let entries = try entries(of: draft) {
      // A worker that has crashed left this draft.
      recorder = CassetteRecorder(path, entries)
    } else {
      let there = try entries(of: path) ?? []
      recorder =
        mode == .all
        ? CassetteRecorder(path, [], beside: isPartial ? there : []) : CassetteRecorder(path, there)
    }
    recorders[key] = recorder
    return recorder
  }

  /// Reads the entries of a file. `nil` if the file does not exist.
  private func entries(of path: [UInt8]) throws(CassetteSet.Problem) -> [HAREntry]? {
    guard access(FileName.cString(path), F_OK) == 0 else { return nil }
    return try TestCassette.read(path).entries
  }

  /// Keeps the exchanges that a test has recorded, and writes the draft.
  func keep(_ recorder: CassetteRecorder) throws(CassetteSet.Problem) -> RecordedCassette {
    let key = CassetteRecorders.key(of: recorder.path)
    recorders[key] = recorder
    let draft = draftPath(of: key)
    let (redacted, redaction) = recorder.finished
    let concealed = redaction.concealed(in: redacted)
    if let first = concealed.min(by: { $0.key < $1.key }) {
      throw CassetteSet.Problem(
        text:
          "\(String(escaping: recorder.path)) would contain a credential that cannot be removed: "
          + "\(first.value): stub that request with t.network:on", isOfFile: true)
    }
    let file = HARFile(
      creator: HARFile.Creator(name: "lull", version: Lull.version), entries: redacted)
    let bytes = file.encoded()
    guard bytes.count <= TestCassette.largest else {
      throw CassetteSet.Problem(
        text:
          "\(String(escaping: recorder.path)) would be larger than \(TestCassette.largest >> 20) MB: "
          + "record less in one cassette", isOfFile: true)
    }
    if let code = AtomicFile.write(bytes, to: Array(draft.utf8), .exactly(0o600)) {
      throw CassetteSet.Problem(
        text: "cannot write '\(draft)': \(ErrorText.of(code))", isOfFile: true)
    }
    return RecordedCassette(
      path: String(escaping: recorder.path), draft: draft, before: stamps[key],
      count: redacted.count,
      newCount: recorder.newCount,
      leftovers: redaction.suspicions(in: redacted))
  }

  /// Returns a key for a file. It is the same for all paths that lead to the file, even if the file
  /// does not exist.
  static func key(of path: [UInt8]) -> [UInt8] {
    if let resolved = FileName.resolved(path) { return resolved }
    let folder = FileName.folder(of: path)
    let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
    // The folder of the recordings may not exist yet.
    let outer = FileName.folder(of: folder)
    if FileName.resolved(folder) == nil, let resolved = FileName.resolved(outer) {
      return FileName.path(of: "cassettes/" + String(escaping: Array(name)), in: resolved)
    }
    return FileName.path(of: String(escaping: Array(name)), in: FileName.resolved(folder) ?? folder)
  }

  private func draftPath(of path: [UInt8]) -> String {
    // Use the FNV-1a hash as a name, which differs for each path in a run.
    let digest = path.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return "\(folder)/draft-\(String(digest, radix: 16)).har"
  }
}
