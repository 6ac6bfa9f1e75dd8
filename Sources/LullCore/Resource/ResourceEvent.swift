/// What observers hear. (OBS-11)
public enum ResourceEvent: Sendable, Equatable, CustomStringConvertible {
  /// Sent to the new observer alone, during the add call.
  case observerAdded
  /// A load has begun.
  case requested
  /// A load was cancelled, and has left everything as it was.
  case requestCancelled
  /// There is data, or none any more after a wipe.
  case newData(NewDataSource)
  /// The data that is there counts as new again.
  case notModified
  /// A load has failed; the data that is there stays.
  case error

  /// Where new data came from. (OBS-10)
  public enum NewDataSource: String, Sendable {
    /// A response.
    case network
    /// The cache of a pipeline's stage.
    case cache
    /// Another host or process, which has written it to a cache that is shared. (NEWS-01)
    case shared
    /// The program, by `overrideLocalData` or `overrideLocalContent`.
    case localOverride
    /// Nowhere: it is gone.
    case wipe
  }

  /// As logs have it, such as `newData(network)`.
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
