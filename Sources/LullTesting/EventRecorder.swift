public import LullCore

/// An observer that records every event, with the state of the resource at that time, such as
/// `newData(network) D`. The letters after the event are `L` while a load is in progress, `D` if
/// there is data, and `E` if there is an error.
public final class EventRecorder: ResourceObserver {
  /// The recorded events, one text for each, in the order in which they occurred.
  public private(set) var events: [String] = []
  /// Called with each event.
  public var onEvent: ((Resource, ResourceEvent) -> Void)?
  /// Whether progress is recorded as well as events.
  public let wantsProgress: Bool

  /// Makes a recorder.
  ///
  /// - Parameter progress: Whether progress is recorded as well as events.
  public init(progress: Bool = false) {
    wantsProgress = progress
  }

  /// Records an event.
  public func resourceChanged(_ resource: Resource, event: ResourceEvent) {
    var line = event.description
    if resource.isLoading { line += " L" }
    if resource.latestData != nil { line += " D" }
    if resource.latestError != nil { line += " E" }
    events.append(line)
    onEvent?(resource, event)
  }

  /// Records a progress value.
  public func resourceRequestProgress(for resource: Resource, progress: Double) {
    events.append("progress \(progress)")
  }

  /// Records the end of the observation.
  public func stoppedObserving(resource: Resource) {
    events.append("stoppedObserving")
  }

  /// Returns the recorded events and removes them from the recorder.
  public func take() -> [String] {
    defer { events = [] }
    return events
  }
}
