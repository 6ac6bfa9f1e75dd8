import LullLibC
import LullCassettes
import LullCore
import LullSystem

/// The recordings that a worker makes, for all its tests. Exchanges recorded by one test answer the
/// next one, so that every test sees the same as in a replay. (CAS-50)
///
/// After each test that passes, the redacted recording is written to a draft. At the end, the main
/// process moves the drafts to their places.
final class CassetteRecorders {
  let mode: RecordingMode
  /// The folder of the drafts.
  private let folder: String
  private var recorders: [[UInt8]: CassetteRecorder] = [:]
  /// The state of each file when it was read.
  private var stamps: [[UInt8]: FileStamp] = [:]
  /// Whether only some of the tests run. Exchanges that the others need are kept.
  var isPartial = false

  init(_ mode: RecordingMode, folder: String) {
    self.mode = mode
    self.folder = folder
  }

  /// The highest number of a stand-in in all recordings.
  var standInCount: Int { recorders.values.map(\.standInCount).max() ?? 0 }

  /// Returns the recorder in its state at the beginning of a test.
  func recorder(of path: [UInt8]) throws(CassetteSet.Problem) -> CassetteRecorder {
    let key = CassetteRecorders.key(of: path)
    if let recorder = recorders[key] { return recorder }
    stamps[key] = FileStamp.of(path)
    let recorder: CassetteRecorder
    let draft = Array(draftPath(of: key).utf8)
    if let entries = try entries(of: draft) {
      // The draft of a worker that has crashed.
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

  /// `nil` if there is no file.
  private func entries(of path: [UInt8]) throws(CassetteSet.Problem) -> [HAREntry]? {
    guard access(FileName.cString(path), F_OK) == 0 else { return nil }
    return try TestCassette.read(path).entries
  }

  /// Stores the exchanges recorded by a test, and writes the draft.
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

  /// A key that is equal for all paths of a file, even if it does not exist.
  static func key(of path: [UInt8]) -> [UInt8] {
    if let resolved = FileName.resolved(path) { return resolved }
    let folder = FileName.folder(of: path)
    let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
    // The folder of recordings may not exist either.
    let outer = FileName.folder(of: folder)
    if FileName.resolved(folder) == nil, let resolved = FileName.resolved(outer) {
      return FileName.path(of: "cassettes/" + String(escaping: Array(name)), in: resolved)
    }
    return FileName.path(of: String(escaping: Array(name)), in: FileName.resolved(folder) ?? folder)
  }

  private func draftPath(of path: [UInt8]) -> String {
    // FNV-1a: a unique name for each path in one run.
    let digest = path.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return "\(folder)/draft-\(String(digest, radix: 16)).har"
  }
}
