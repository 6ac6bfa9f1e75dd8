/// Where a service is, as long as it is, for whoever must not hold it.
///
/// In the place of weak references, which would slow down every use of the service. Home thread only.
package final class ServiceLink {
  // Set by the service's initialiser, cleared by its `deinit`: it never outlives the object.
  package fileprivate(set) unowned(unsafe) var service: Service?

  init() {}

  func set(_ service: Service?) { self.service = service }
}
