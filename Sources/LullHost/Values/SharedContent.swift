import CLullBridge
import LullCore
import LullLibC

/// Detects changes that a script has made to the content of a resource. All readers of the content
/// share the Lua tables of the content.
///
/// Tables that were built from a document are compared with the document. Tables that a transformer
/// created are compared with a copy. The copy was made when the tables were published.
///
/// Order of events: all content of a resource is compared when a 304 or a cache confirms the
/// content, or when a request begins that may change the resource. When a load begins, only the
/// first values are compared. Small content that was built from a document is also compared from
/// time to time, when it is returned again. At the end, the remaining content is compared, up to a
/// limit.
///
/// A change is reported once. Afterwards, readers get new tables that are made from the document or
/// the copy. Changes to content that belongs to only one request are not reported. Home thread
/// only.
final class SharedContent {
  private let bridge: BridgeRuntime
  private let handles: ObjectHandles
  private let stored: StoredValues
  /// The content that transformers created, keyed by the ID under which the service keeps the
  /// content of a resource alive.
  private var made: [Int64: Made] = [:]
  /// The documents whose tables were returned to scripts, keyed by the ID of the tables. This
  /// property is used only with `LULL_STRICT=1`: all returned content, including the content of
  /// requests, is then compared every time.
  private var handedOut: [Int64: HandedOut]?
  /// Called for each detected change, with the text of the report.
  var report: (String) -> Void = { _ in }
  /// The reports that are passed on in the next turn. They are delayed because a script handler
  /// must not run while the model changes.
  private var pending: [String] = []
  private let pump: Pump

  private struct HandedOut {
    weak var document: JSONDocument?
    let url: String
  }

  /// The ID of content that a transformer created, and the ID of its copy.
  private struct Made {
    let content: Int64
    let copy: Int64
  }

  /// The maximum number of values in content that is copied and compared. This limit is for content
  /// that a transformer created.
  private static let mostCopied: Int64 = 20_000
  /// The maximum number of values that are compared when a load begins. It is small, because the
  /// response to the load usually replaces the content.
  private static let mostAtLoads: Int64 = 1000
  /// The maximum number of values that are compared at the end of the program, for all resources
  /// together.
  private static let mostAtEnd: Int64 = 20_000
  /// The maximum memory, in bytes, of a document whose tables are compared when they are returned
  /// again.
  private static let largestHandedOut = 16 * 1024
  /// The number of bytes up to which content built from a document is compared at every read. After
  /// that, the content is compared less often.
  private static let mostEagerly = 8 * 1024

  init(_ stored: StoredValues, _ pump: Pump) {
    bridge = stored.bridge
    handles = stored.handles
    self.stored = stored
    self.pump = pump
  }

  /// The bit that marks the IDs of tables that all readers of a document share.
  private static let tableIDs: Int64 = 1 << 62

  /// Returns the ID of the tables that all readers of a document share. If the tables omit nulls,
  /// both `tableIDs` and `ScriptValues.viewIDs` are set in the ID. (JSN-32)
  static func id(of document: JSONDocument, omitsNulls: Bool = false) -> Int64 {
    document.serial | tableIDs | (omitsNulls ? ScriptValues.viewIDs : 0)
  }

  /// Returns the ID of tables that only one reader uses.
  static func ownID(_ id: Int64, omitsNulls: Bool) -> Int64 {
    omitsNulls ? id | tableIDs | ScriptValues.viewIDs | 1 << 60 : id
  }

  /// If `LULL_STRICT` is set, all returned content is compared every time from now on.
  func readEnvironment() {
    // The value is read immediately, so nothing can change the environment meanwhile.
    guard let text = getenv("LULL_STRICT").map({ String(cString: $0) }),
      !text.isEmpty, text != "0"
    else { return }
    handedOut = [:]
  }

  // MARK: Times of comparison

  /// Called before existing tables of a document are returned again. Returns false if a script has
  /// changed the tables, so that they must not be returned.
  func mayHandOut(_ document: JSONDocument, from url: @autoclosure () -> String?) -> Bool {
    if handedOut != nil { return isUnchanged(document, url()) }
    guard document.isPublished, document.memory <= SharedContent.largestHandedOut else {
      return true
    }
    // The content is compared every time at first, then at the 2nd, 4th, 8th, … time. So a loop
    // that reads the content costs almost nothing.
    let count = document.countHandOut()
    guard
      count & (count - 1) == 0
        || Int(count) * document.memory <= SharedContent.mostEagerly
    else { return true }
    return isUnchanged(document, url())
  }

  /// Called when tables have been built for a document.
  func note(_ document: JSONDocument, from url: @autoclosure () -> String?) {
    guard let known = handedOut else { return }
    if known.count > 1000 { handedOut = known.filter { $0.value.document != nil } }
    handedOut?[SharedContent.id(of: document)] = HandedOut(
      document: document, url: url() ?? "content without a URL")
  }

  /// Called when the data of a resource has changed or was confirmed, before observers are
  /// notified.
  func stateChanged(of resource: Resource) {
    let record = resource.record
    guard let entity = record.state.latestData else { return forget(record, of: resource.service) }
    var left = Int64.max
    switch entity.content {
    case .json(let document):
      forget(record, of: resource.service)
      document.publish()
    case .foreign(let foreign) where made[record.hostKey]?.content == foreign.id: break
    // The content of a local override belongs to the script, so it is not compared.
    case .foreign(let foreign) where entity.exchange != nil && foreign.typeName == "table":
      return copy(foreign.id, of: resource)
    default: return forget(record, of: resource.service)
    }
    if let text = change(of: record, resource.service, within: &left) { reportSoon(text) }
  }

  /// Called when a request of a resource begins.
  func requestBegins(_ request: Request) {
    guard let network = request as? NetworkRequest, let resource = network.resource else { return }
    var left = network.isRead ? SharedContent.mostAtLoads : .max
    if let text = change(of: resource.record, resource.service, within: &left) {
      reportSoon(text)
    }
  }

  // MARK: Content of transformers

  private func copy(_ content: Int64, of resource: Resource) {
    let record = resource.record
    let (key, copy) = (stored.key(of: record), stored.makeID())
    forget(record, of: resource.service)
    guard !bridge.isClosed,
      lull_value_snapshot(bridge.pointer, content, copy, SharedContent.mostCopied) != 0
    else { return }
    stored.anchor(copy, from: handles.handle(of: resource.service), key: key + 2)
    // A finaliser that ran in the meantime may have changed the resource's data.
    guard record.foreignID == content, record.hostKey == key else { return }
    made[key] = Made(content: content, copy: copy)
  }

  /// Called when the record gets other data, or when the service removes the record.
  func forget(_ record: ResourceRecord, of service: Service) {
    guard !made.isEmpty, made.removeValue(forKey: record.hostKey) != nil, !bridge.isClosed else {
      return
    }
    stored.release(record.hostKey + 2, from: service.hostHandle)
  }

  /// Restores the published content for new readers. The script keeps the tables that it has
  /// changed.
  private func restore(_ made: Made, of record: ResourceRecord, _ service: Service) {
    guard lull_value_snapshot(bridge.pointer, made.copy, made.content, .max) != 0 else { return }
    stored.anchor(made.content, from: service.hostHandle, key: record.hostKey)
  }

  private func reportSoon(_ text: String) {
    pending.append(text)
    guard pending.count == 1 else { return }
    pump.enqueue { [weak self] in self?.reportPending() }
  }

  private func reportPending() {
    let texts = pending
    pending = []
    for text in texts where !text.isEmpty { report(text) }
  }

  /// Called at the end of the program. Compares the remaining content of all resources, up to a
  /// limit.
  func checkAll() {
    reportPending()
    if let known = handedOut {
      for (_, handedOut) in known.sorted(by: { $0.key < $1.key }) {
        if let document = handedOut.document { _ = isUnchanged(document, handedOut.url) }
      }
    }
    var left = handedOut == nil ? SharedContent.mostAtEnd : .max
    for service in handles.objects(.service, as: Service.self) {
      service.table.forEach { record in
        guard left > 0 else { return }
        if let text = change(of: record, service, within: &left) { pending.append(text) }
      }
    }
    reportPending()
  }

  // MARK: Comparing

  /// Returns the report of a change to the content of a resource. Returns nil if the content is
  /// unchanged, and an empty text if the change was already reported.
  private func change(
    of record: ResourceRecord, _ service: Service, within left: inout Int64
  ) -> String? {
    switch record.state.latestData?.content {
    case .json(let document): return change(of: document, record.url.text, within: &left)
    case .foreign:
      guard !bridge.isClosed, let made = made[record.hostKey], made.content == record.foreignID,
        let place = bridge.difference(of: made.content, fromCopy: made.copy, within: &left)
      else { return nil }
      restore(made, of: record, service)
      return SharedContent.report(of: record.url.text, place)
    default: return nil
    }
  }

  private func isUnchanged(_ document: JSONDocument, _ url: @autoclosure () -> String?) -> Bool {
    var left = Int64.max
    guard let text = change(of: document, url(), within: &left) else { return true }
    if !text.isEmpty { report(text) }
    return false
  }

  /// Returns the report of a change to the tables of a document. Changed tables are no longer
  /// returned to readers. The result is nil if the tables are unchanged, and an empty text if the
  /// change was already reported.
  private func change(
    of document: JSONDocument, _ url: @autoclosure () -> String?, within left: inout Int64
  ) -> String? {
    change(of: document, SharedContent.id(of: document), url(), within: &left)
      ?? change(
        of: document, SharedContent.id(of: document, omitsNulls: true), url(), within: &left)
  }

  private func change(
    of document: JSONDocument, _ id: Int64, _ url: @autoclosure () -> String?,
    within left: inout Int64
  ) -> String? {
    guard !bridge.isClosed, lull_value_is_alive(bridge.pointer, id) != 0,
      let place = bridge.difference(of: id, from: document, within: &left)
    else { return nil }
    // A finaliser that ran in the meantime may have removed the tables already.
    guard lull_value_forget(bridge.pointer, id) != 0 else { return "" }
    document.forgetHandOuts()
    return SharedContent.report(of: url() ?? "", place)
  }

  private static func report(of url: String, _ place: String) -> String {
    "the shared content of \(LogText.url(url)) was changed at "
      + (place.isEmpty ? "its top level" : place)
      + ": edit a copy (lull.copy), and publish it with override_local_content"
  }
}

extension BridgeRuntime {
  /// Returns the JSON Pointer of the first difference between a document and the tables with that
  /// ID. Returns nil if there is no difference in the first `left` values.
  func difference(
    of id: Int64, from document: JSONDocument, within left: inout Int64
  ) -> String? {
    let mark = lull_arena_mark(pointer)
    defer { lull_arena_release(pointer, mark) }
    // The text is in the arena, so it is read before the mark is released.
    return lull_document_difference(pointer, UnsafeRawPointer(document.pointer), id, &left)
      .map { String(escapingCString: $0) }
  }

  /// Returns the JSON Pointer of the first difference between tables and their copy. Returns nil if
  /// there is no difference in the first `left` values.
  func difference(of id: Int64, fromCopy copy: Int64, within left: inout Int64) -> String? {
    let mark = lull_arena_mark(pointer)
    defer { lull_arena_release(pointer, mark) }
    // The text is in the arena, so it is read before the mark is released.
    return lull_value_difference(pointer, id, copy, &left).map { String(escapingCString: $0) }
  }
}
