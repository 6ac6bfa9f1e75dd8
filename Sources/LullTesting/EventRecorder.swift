public import LullCore

/// An observer that records every event and the state of the resource at that moment, such as
/// `newData(network) D`. The letters after the name of the event are L while a load is in progress,
/// D if there is data, and E if there is an error.
public final class EventRecorder: ResourceObserver {
  /// One line per event, the latest last.
  public private(set) var events: [String] = []
  /// Called with each event.
  public var onEvent: ((Resource, ResourceEvent) -> Void)?
  /// Whether progress is recorded too.
  public let wantsProgress: Bool

  /// Makes a recorder.
  ///
  /// - Parameter progress: Whether progress is recorded too.
  public init(progress: Bool = false) {
    wantsProgress = progress
  }

  /// Records the event.
  public func resourceChanged(_ resource: Resource, event: ResourceEvent) {
    var line = event.description
    if resource.isLoading { line += " L" }
    if resource.latestData != nil { line += " D" }
    if resource.latestError != nil { line += " E" }
    events.append(line)
    onEvent?(resource, event)
  }

  /// Records the progress.
  public func resourceRequestProgress(for resource: Resource, progress: Double) {
    events.append("progress \(progress)")
  }

  /// Records the end of the observation.
  public func stoppedObserving(resource: Resource) {
    events.append("stoppedObserving")
  }

  /// Returns the recorded events and removes them.
  public func take() -> [String] {
    defer { events = [] }
    return events
  }
}
