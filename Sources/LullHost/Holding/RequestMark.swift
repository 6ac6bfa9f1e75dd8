import LullCore

/// The host's data about one request. Each request that a script has got, or that has started, has
/// one object of this class.
final class RequestMark {
  /// The handle of the request's userdata; 0 if it has none.
  var handle: UInt64 = 0
  /// The request's index in the list of requests in flight; nil if it is not in flight.
  var place: Int?
  /// Whether the request's userdata is pinned because the request is in flight.
  var isPinnedInFlight = false
  /// The time when the request was first known to be in flight, in seconds since 1970.
  var since = 0.0
  /// Whether the request does not keep the script alive, because it is the connection of a stream.
  var isWeak = false
  /// The value of `isWeak` when the request was added to the list of requests in flight. For a
  /// request that failed before it began, `isWeak` may be set after that.
  var countsAsWeak = false
  /// The number of pins on the request's userdata.
  var pins = 0
  /// The IDs of the script values that transformers created for the request. The values are kept
  /// alive until the request settles.
  var values: [Int64] = []
  /// The IDs of the script values that the request, or a retry of it, may still call.
  var anchors: [Int64] = []
  /// Whether the request ends with the script, because a script started it on a shared pump.
  var isScripts = false
  /// Whether the request is pinned until the runtime closes, because Swift uses it too.
  var isHeldForProgram = false
  /// Whether the request was passed to a script. Passing it to a decorator does not count.
  var isShown = false
  /// Whether the script has received the request's failure: by awaiting the request, in a hook, or
  /// by reading the error.
  var isHandled = false
  /// The resource that the request loads, if a script started the load; otherwise nil.
  var loaded: Resource?
  /// The environment of the request's script functions. This reference keeps the environment alive,
  /// because the request may outlive the Lua state.
  var owner: AnyObject?
}

extension Request {
  /// The host's data about the request, created on first use.
  var mark: RequestMark {
    // If there is a host, `hostMark` is always a `RequestMark`.
    if let hostMark { return unsafeDowncast(hostMark, to: RequestMark.self) }
    let mark = RequestMark()
    hostMark = mark
    return mark
  }
}

/// The IDs of the script values that requests may call.
final class RequestCallbacks {
  let ids: [Int64]

  init(_ ids: [Int64]) {
    self.ids = ids
  }
}
