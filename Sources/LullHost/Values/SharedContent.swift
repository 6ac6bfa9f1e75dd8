import CLullBridge
import LullCore
import LullLibC

/// Finds where a script has changed the content of a resource, which all its readers share.
///
/// Tables are compared with the document that they were built from, or, if a transformer has made them,
/// with a copy of them as they were published. Order of events: when a 304 or a cache confirms the
/// content, or a request that may change the resource begins, all of it; when a load begins, the first
/// values; when small content of a document is handed out again, now and then; and at the end, up to a
/// limit. A change is reported once. Readers then get tables that are made of the document or the copy
/// again. Of content that only one request has, nothing is reported. Home thread only.
final class SharedContent {
  private let bridge: BridgeRuntime
  private let handles: ObjectHandles
  private let stored: StoredValues
  /// What transformers have made, by the number under which the service holds it of a resource.
  private var made: [Int64: Made] = [:]
  /// With `LULL_STRICT=1`: whatever is handed out again is compared, that of requests too.
  private var handedOut: [Int64: HandedOut]?
  /// Called with the report of each change.
  var report: (String) -> Void = { _ in }
  /// Reports for the next turn: a handler of the script's must not run while the model changes.
  private var pending: [String] = []
  private let pump: Pump

  private struct HandedOut {
    weak var document: JSONDocument?
    let url: String
  }

  /// Content that a transformer has made, and its copy.
  private struct Made {
    let content: Int64
    let copy: Int64
  }

  /// Larger content that a transformer has made is not copied, and not compared. In values.
  private static let mostCopied: Int64 = 20_000
  /// How many values are compared when a load begins, whose answer mostly takes the place of the content.
  private static let mostAtLoads: Int64 = 1000
  /// Of all resources together at the end of the program.
  private static let mostAtEnd: Int64 = 20_000
  /// Memory of the documents that are compared when they are handed out again, in bytes.
  private static let largestHandedOut = 16 * 1024
  /// Up to how many bytes of it are compared at each of the first times.
  private static let mostEagerly = 8 * 1024

  init(_ stored: StoredValues, _ pump: Pump) {
    bridge = stored.bridge
    handles = stored.handles
    self.stored = stored
    self.pump = pump
  }

  /// What marks the ids of the tables that the readers of a document share.
  private static let tableIDs: Int64 = 1 << 62

  /// With both marks, of tables without nulls. (JSN-32)
  static func id(of document: JSONDocument, omitsNulls: Bool = false) -> Int64 {
    document.serial | tableIDs | (omitsNulls ? ScriptValues.viewIDs : 0)
  }

  /// Those of tables that one reader has.
  static func ownID(_ id: Int64, omitsNulls: Bool) -> Int64 {
    omitsNulls ? id | tableIDs | ScriptValues.viewIDs | 1 << 60 : id
  }

  /// Compares everything each time, if `LULL_STRICT` asks for it.
  func readEnvironment() {
    // Read at once; nothing changes the environment meanwhile.
    guard let text = getenv("LULL_STRICT").map({ String(cString: $0) }),
      !text.isEmpty, text != "0"
    else { return }
    handedOut = [:]
  }

  // MARK: When it is compared

  /// Tables that are there already are about to be handed out again; false if they have been changed,
  /// and are not to be.
  func mayHandOut(_ document: JSONDocument, from url: @autoclosure () -> String?) -> Bool {
    if handedOut != nil { return isUnchanged(document, url()) }
    guard document.isPublished, document.memory <= SharedContent.largestHandedOut else {
      return true
    }
    // Each time at first, then the 2nd, 4th, 8th, …: loops that read it pay next to nothing.
    let count = document.countHandOut()
    guard
      count & (count - 1) == 0
        || Int(count) * document.memory <= SharedContent.mostEagerly
    else { return true }
    return isUnchanged(document, url())
  }

  /// Tables have been built.
  func note(_ document: JSONDocument, from url: @autoclosure () -> String?) {
    guard let known = handedOut else { return }
    if known.count > 1000 { handedOut = known.filter { $0.value.document != nil } }
    handedOut?[SharedContent.id(of: document)] = HandedOut(
      document: document, url: url() ?? "content without a URL")
  }

  /// The data of a resource is another, or has been confirmed, which nobody has been told of yet.
  func stateChanged(of resource: Resource) {
    let record = resource.record
    guard let entity = record.state.latestData else { return forget(record, of: resource.service) }
    var left = Int64.max
    switch entity.content {
    case .json(let document):
      forget(record, of: resource.service)
      document.publish()
    case .foreign(let foreign) where made[record.hostKey]?.content == foreign.id: break
    // Content of an override belongs to the script.
    case .foreign(let foreign) where entity.exchange != nil && foreign.typeName == "table":
      return copy(foreign.id, of: resource)
    default: return forget(record, of: resource.service)
    }
    if let text = change(of: record, resource.service, within: &left) { reportSoon(text) }
  }

  /// A request of a resource begins.
  func requestBegins(_ request: Request) {
    guard let network = request as? NetworkRequest, let resource = network.resource else { return }
    let isLoad = network.method == .get
    var left = isLoad ? SharedContent.mostAtLoads : .max
    if let text = change(of: resource.record, resource.service, within: &left) {
      reportSoon(text)
    }
  }

  // MARK: What transformers have made

  private func copy(_ content: Int64, of resource: Resource) {
    let record = resource.record
    let (key, copy) = (stored.key(of: record), stored.makeID())
    forget(record, of: resource.service)
    guard !bridge.isClosed,
      lull_value_snapshot(bridge.pointer, content, copy, SharedContent.mostCopied) != 0
    else { return }
    stored.anchor(copy, from: handles.handle(of: resource.service), key: key + 2)
    // A finaliser that ran meanwhile may have given the resource other data.
    guard record.foreignID == content, record.hostKey == key else { return }
    made[key] = Made(content: content, copy: copy)
  }

  /// The record shows other data, or is forgotten.
  func forget(_ record: ResourceRecord, of service: Service) {
    guard !made.isEmpty, made.removeValue(forKey: record.hostKey) != nil, !bridge.isClosed else {
      return
    }
    stored.release(record.hostKey + 2, from: service.hostHandle)
  }

  /// Readers get the content as it was published; the script keeps what it has changed.
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

  /// What resources still have, at the end.
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

  /// The report of a change of what a resource shows; "" if it was reported already, nil without one.
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

  /// The report of a change of the document's tables, which no reader gets any more then; "" if it was
  /// reported already, nil if they are as they were built.
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
    // A finaliser that has run meanwhile may have come here first.
    guard lull_value_forget(bridge.pointer, id) != 0 else { return "" }
    document.forgetHandOuts()
    return SharedContent.report(of: url() ?? "", place)
  }

  private static func report(of url: String, _ place: String) -> String {
    "the shared content of \(LogText.url(url)) was changed at "
      + (place.isEmpty ? "its top" : place) + ": edit a copy (lull.copy), and publish it with "
      + "override_local_content"
  }
}

extension BridgeRuntime {
  /// The JSON Pointer of the first place where the tables under that id differ from the document; nil
  /// if there is none in the first `left` values.
  func difference(
    of id: Int64, from document: JSONDocument, within left: inout Int64
  ) -> String? {
    let mark = lull_arena_mark(pointer)
    defer { lull_arena_release(pointer, mark) }
    // A text in the arena, read before the mark is released.
    return lull_document_difference(pointer, UnsafeRawPointer(document.pointer), id, &left)
      .map { String(escapingCString: $0) }
  }

  /// The same for tables and a copy of them.
  func difference(of id: Int64, fromCopy copy: Int64, within left: inout Int64) -> String? {
    let mark = lull_arena_mark(pointer)
    defer { lull_arena_release(pointer, mark) }
    // A text in the arena, read before the mark is released.
    return lull_value_difference(pointer, id, copy, &left).map { String(escapingCString: $0) }
  }
}
