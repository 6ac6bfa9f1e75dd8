import CLullBridge
import LullCore

/// What the iterators of scripts share, `pages` and `watch`: the content that their userdata holds.
extension Callbacks {
  /// Where an iterator's userdata holds the content given last; ids of kept values are larger.
  static let lastContentKey: Int64 = 1

  /// The userdata holds the content given last, and no more the one before.
  func hold(_ content: Content, from handle: UInt64) {
    guard let id = content.foreignID else { return }
    lull_value_anchor_to_object(bridge.pointer, handle, Callbacks.lastContentKey, id)
  }

  /// The iterator is over: its userdata holds neither content nor the function.
  func release(function: Int64?, from handle: UInt64) {
    guard handle != 0, !bridge.isClosed else { return }
    lull_value_release_from_object(bridge.pointer, handle, Callbacks.lastContentKey)
    if let function { lull_value_release_from_object(bridge.pointer, handle, function) }
  }

  /// Whether two contents are the same, values of scripts as Lua compares them.
  func areSame(_ content: Content, _ other: Content) -> Bool {
    content.holdsSame(as: other) { a, b in lull_value_same(bridge.pointer, a.id, b.id) != 0 }
  }
}

extension Awaited {
  /// The load in progress, if there is one.
  init(loading resource: Resource) {
    self.init(requests: Array(resource.loadRequests.prefix(1)))
  }
}

/// `service:resources()`: those in memory when it was made, in order of last use, less what has been
/// forgotten meanwhile. Neither creates nor loads anything.
final class ResourceIterator {
  private let service: Service
  private var records: ArraySlice<ResourceRecord>

  init(_ service: Service) {
    self.service = service
    records = service.table.all[...]
  }

  func next() -> Resource? {
    while let record = records.popFirst() {
      if service.table.contains(record) { return service.resource(of: record) }
    }
    return nil
  }
}
