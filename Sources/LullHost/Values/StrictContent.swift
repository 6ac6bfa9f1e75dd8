import CLullBridge
import LullLibC
import LullCore
import LullSystem

/// With `LULL_STRICT=1`: content that is shared, compared with the document it was built from.
///
/// Order of events: each time tables are handed out again, and once more at the end, they are
/// compared; the first difference of a document is reported with its URL and JSON Pointer, and makes
/// the exit code 1. It costs a walk over the whole document each time. Home thread only.
final class StrictContent {
  private struct Shared {
    weak var document: JSONDocument?
    let url: String
  }

  private let bridge: BridgeRuntime
  /// Called for each difference.
  private let noteDifference: () -> Void
  /// By the id of the tables.
  private var shared: [Int64: Shared] = [:]

  private init(_ bridge: BridgeRuntime, noteDifference: @escaping () -> Void) {
    self.bridge = bridge
    self.noteDifference = noteDifference
  }

  /// One if the environment asks for it.
  static func ofEnvironment(_ bridge: BridgeRuntime, noteDifference: @escaping () -> Void)
    -> StrictContent?
  {
    // Read at once; nothing changes the environment meanwhile.
    guard let text = getenv("LULL_STRICT").map({ String(cString: $0) }),
      !text.isEmpty, text != "0"
    else { return nil }
    return StrictContent(bridge, noteDifference: noteDifference)
  }

  /// Tables are handed out, new ones or again.
  func handOut(_ document: JSONDocument, _ id: Int64, isNew: Bool, from url: String?) {
    if isNew || shared[id] == nil {
      if shared.count > 1000 { shared = shared.filter { $0.value.document != nil } }
      shared[id] = Shared(document: document, url: url ?? "content without a URL")
    } else {
      check(id)
    }
  }

  /// Compares everything that is still there.
  func checkAll() {
    for id in shared.keys.sorted() { check(id) }
  }

  private func check(_ id: Int64) {
    guard let known = shared[id], let document = known.document else { return }
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    guard
      let pointer = lull_document_difference(
        bridge.pointer, UnsafeRawPointer(document.pointer), id)
    else { return }
    shared[id] = nil
    noteDifference()
    // A text in the arena, read before the mark is released.
    let place = String(escapingCString: pointer)
    StandardError.write(
      "lull: the shared content of \(LogText.url(known.url)) was changed at "
        + (place.isEmpty ? "its top" : place) + ": edit a copy (lull.copy), and publish it with "
        + "override_local_content\n")
  }
}
