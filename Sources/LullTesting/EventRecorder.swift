public import LullCore

/// An observer that writes down every event with the state as seen at that moment: `newData(network) D`,
/// with L while a load is in progress, D if there is data and E if there is an error.
public final class EventRecorder: ResourceObserver {
  /// A line for each event, the latest last.
  public private(set) var events: [String] = []
  /// Called with each event.
  public var onEvent: ((Resource, ResourceEvent) -> Void)?
  /// Whether progress is written down too.
  public let wantsProgress: Bool

  /// - Parameter progress: whether progress is written down too.
  public init(progress: Bool = false) {
    wantsProgress = progress
  }

  /// Writes it down.
  public func resourceChanged(_ resource: Resource, event: ResourceEvent) {
    var line = event.description
    if resource.isLoading { line += " L" }
    if resource.latestData != nil { line += " D" }
    if resource.latestError != nil { line += " E" }
    events.append(line)
    onEvent?(resource, event)
  }

  /// Writes it down.
  public func resourceRequestProgress(for resource: Resource, progress: Double) {
    events.append("progress \(progress)")
  }

  /// Writes it down.
  public func stoppedObserving(resource: Resource) {
    events.append("stoppedObserving")
  }

  /// The events so far, which are then forgotten.
  public func take() -> [String] {
    defer { events = [] }
    return events
  }
}
