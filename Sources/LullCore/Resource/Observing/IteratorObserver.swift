/// Stands in a resource's list of observers while a loop or an iterator of a script waits.
package final class IteratorObserver: ResourceObserver {
  package let logName: String
  private let hear: (ResourceEvent) -> Void
  package var wantsProgress: Bool { false }

  package init(_ logName: String, _ hear: @escaping (ResourceEvent) -> Void = { _ in }) {
    self.logName = logName
    self.hear = hear
  }

  package func resourceChanged(_ resource: Resource, event: ResourceEvent) { hear(event) }
}

extension Resource {
  /// Cancels loads that iterators have started, once nobody else has attached a hook and nobody
  /// observes.
  package func cancelUnwantedLoads() {
    guard !isObserved else { return }
    for load in loadRequests where load.iteratorHooks == load.hookCount { load.cancel() }
  }
}
