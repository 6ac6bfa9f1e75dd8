/// What observers hear. (OBS-11)
public enum ResourceEvent: Sendable, Equatable, CustomStringConvertible {
  /// Sent to the new observer alone, during the add call.
  case observerAdded
  case requested
  case requestCancelled
  case newData(NewDataSource)
  case notModified
  case error

  /// Where new data came from. (OBS-10)
  public enum NewDataSource: String, Sendable {
    case network
    case cache
    case localOverride
    case wipe
  }

  public var description: String {
    switch self {
    case .observerAdded: "observerAdded"
    case .requested: "requested"
    case .requestCancelled: "requestCancelled"
    case .newData(let source): "newData(\(source.rawValue))"
    case .notModified: "notModified"
    case .error: "error"
    }
  }
}
