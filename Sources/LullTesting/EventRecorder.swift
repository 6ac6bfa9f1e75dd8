package import LullCore

/// An observer that writes down every event with the state as seen at that moment.
package final class EventRecorder: ResourceObserver {
  package private(set) var events: [String] = []
  package var onEvent: ((Resource, ResourceEvent) -> Void)?
  /// Whether progress is written down too.
  package let wantsProgress: Bool

  package init(progress: Bool = false) {
    wantsProgress = progress
  }

  package func resourceChanged(_ resource: Resource, event: ResourceEvent) {
    var line = event.description
    if resource.isLoading { line += " L" }
    if resource.latestData != nil { line += " D" }
    if resource.latestError != nil { line += " E" }
    events.append(line)
    onEvent?(resource, event)
  }

  package func resourceRequestProgress(for resource: Resource, progress: Double) {
    events.append("progress \(progress)")
  }

  package func stoppedObserving(resource: Resource) {
    events.append("stoppedObserving")
  }

  /// The events so far, which are then forgotten.
  package func take() -> [String] {
    defer { events = [] }
    return events
  }
}
