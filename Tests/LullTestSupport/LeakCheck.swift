package import LullCore

/// Watches the objects of a test without holding them, to tell which of them outlive it.
///
/// As the host of a pump it also watches every request that starts and every resource
/// whose state changes.
package final class LeakCheck: ModelHost {
  /// Of several objects that have lived at one place, the last.
  private var watched: [ObjectIdentifier: Watched] = [:]

  private struct Watched {
    weak var object: AnyObject?
    let name: String
  }

  package init() {}

  /// Watches an object; returns it.
  @discardableResult
  package func watch<Object: AnyObject>(_ object: Object, _ name: String? = nil) -> Object {
    let name = name ?? String(describing: type(of: object))
    let place = ObjectIdentifier(object)
    if watched[place]?.object !== object { watched[place] = Watched(object: object, name: name) }
    return object
  }

  /// The names of what is still alive; empty when nothing leaked.
  package var leaks: [String] {
    watched.values.filter { $0.object != nil }.map(\.name).sorted()
  }

  package func requestStarted(_ request: Request) {
    watch(request, "\(type(of: request)) \(request.method ?? "") \(request.url ?? "")")
    if let resource = request.resource { watchResource(resource) }
  }

  package func resourceStateChanged(_ resource: Resource) {
    watchResource(resource)
  }

  private func watchResource(_ resource: Resource) {
    watch(resource, "Resource \(resource.url)")
    watch(resource.record, "ResourceRecord \(resource.url)")
  }
}
