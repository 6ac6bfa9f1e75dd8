import CLullBridge
import LullCore

/// The code that the script iterators `pages` and `watch` have in common. The userdata of an
/// iterator holds the current content.
extension Callbacks {
  /// The key under which an iterator's userdata holds the current content. It is smaller than every
  /// ID of a stored value.
  static let lastContentKey: Int64 = 1

  /// Makes an iterator's userdata hold the current content and release the previous one.
  func hold(_ content: Content, from handle: UInt64) {
    guard let id = content.foreignID else { return }
    lull_value_anchor_to_object(bridge.pointer, handle, Callbacks.lastContentKey, id)
  }

  /// Releases the content and the function of an iterator that has ended.
  func release(function: Int64?, from handle: UInt64) {
    guard handle != 0, !bridge.isClosed else { return }
    lull_value_release_from_object(bridge.pointer, handle, Callbacks.lastContentKey)
    if let function { lull_value_release_from_object(bridge.pointer, handle, function) }
  }

  /// Returns whether two contents are equal. If they are script values, Lua compares them.
  func areSame(_ content: Content, _ other: Content) -> Bool {
    content.holdsSame(as: other) { a, b in lull_value_same(bridge.pointer, a.id, b.id) != 0 }
  }
}

extension Awaited {
  /// Creates a description of a wait for the load in progress of a resource. Without a load in
  /// progress, the wait is for nothing.
  init(loading resource: Resource) {
    self.init(requests: Array(resource.loadRequests.prefix(1)))
  }
}

/// The iterator of `service:resources()`. It returns the resources that were in memory when the
/// iterator was created, in order of last use. It leaves out resources that have been forgotten
/// since then. It neither creates nor loads resources.
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
