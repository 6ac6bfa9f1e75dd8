import LullCore

/// The host's data about one request: one object for each request that a script sees, or that
/// begins.
final class RequestMark {
  /// The handle of its userdata; 0 if none.
  var handle: UInt64 = 0
  /// Its index in the requests in flight; nil if it is not in flight.
  var place: Int?
  /// Whether its userdata is pinned because it is in flight.
  var isPinnedInFlight = false
  /// When it was first known to be in flight, in Unix seconds.
  var since = 0.0
  /// Whether it does not keep the script alive, because it is the connection of a stream.
  var isWeak = false
  /// The value of `isWeak` when it was added to the list. A request that failed before it began is
  /// marked afterwards.
  var countsAsWeak = false
  /// The number of pins on its userdata.
  var pins = 0
  /// The script values that transformers created for it, held until it settles.
  var values: [Int64] = []
  /// The script values that it, or a retry of it, may still call.
  var anchors: [Int64] = []
  /// Whether a script started it on a shared pump, so that it ends with the script.
  var isScripts = false
  /// Whether it is pinned because Swift uses it too, until the runtime closes.
  var isHeldForProgram = false
  /// Whether it was passed to a script, other than to a decorator.
  var isShown = false
  /// Whether the script has got its failure: by an await, a hook, or by reading it.
  var isHandled = false
  /// The resource that it loads, if a script requested the load.
  var loaded: Resource?
  /// Keeps the environment of its script functions alive, if the request may outlive the state.
  var owner: AnyObject?
}

extension Request {
  /// The mark of the request, created on first use.
  var mark: RequestMark {
    // Under a host, nothing else is stored there.
    if let hostMark { return unsafeDowncast(hostMark, to: RequestMark.self) }
    let mark = RequestMark()
    hostMark = mark
    return mark
  }
}

/// The script values that requests may call.
final class RequestCallbacks {
  let ids: [Int64]

  init(_ ids: [Int64]) {
    self.ids = ids
  }
}
