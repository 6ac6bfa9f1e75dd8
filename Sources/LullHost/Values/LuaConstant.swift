/// Texts pushed on hot paths, known to the bridge by number.
package enum LuaConstant: Int32 {
  case observerAdded = 1
  case requested
  case requestCancelled
  case newData
  case notModified
  case error
  case network
  case cache
  case localOverride
  case wipe
  case shared

  var text: StaticString {
    switch self {
    case .observerAdded: "observer_added"
    case .requested: "requested"
    case .requestCancelled: "request_cancelled"
    case .newData: "new_data"
    case .notModified: "not_modified"
    case .error: "error"
    case .network: "network"
    case .cache: "cache"
    case .localOverride: "local_override"
    case .wipe: "wipe"
    case .shared: "shared"
    }
  }
}
