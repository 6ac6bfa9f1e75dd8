import LullCore

/// What the host notes of one request: one object for each that a script sees, or that begins.
final class RequestMark {
  /// The number the bridge knows it by; 0 if none.
  var handle: UInt64 = 0
  /// Its place among the requests in flight; nil if it is not there.
  var place: Int?
  /// Whether its userdata is pinned because of that.
  var isPinnedInFlight = false
  /// Since when it is known to be in flight; Unix epoch seconds.
  var since = 0.0
  /// Whether it does not keep the script alive: a stream's connection, which nobody may be reading.
  var isWeak = false
  /// Whether it was so when it was listed: one that has failed before it began is told of afterwards.
  var countsAsWeak = false
  /// How often its userdata is pinned.
  var pins = 0
  /// Values of the script that transformers made for it, kept until it settles.
  var values: [Int64] = []
  /// Values of the script that it, or a repetition of it, may yet call.
  var anchors: [Int64] = []
  /// Whether a script has begun it, on a pump that is not the script's own: it ends with that.
  var isScripts = false
  /// Whether it is pinned since Swift has it too, until the runtime closes.
  var isHeldForProgram = false
  /// Whether a script has been given it, but for decorators.
  var isShown = false
  /// Whether the script has had its failure: by an await, a hook, or by reading it.
  var isHandled = false
  /// The resource that it loads, where a script has asked for that.
  var loaded: Resource?
  /// What its functions of the script need, where the request may outlive the state.
  var owner: AnyObject?
}

extension Request {
  /// Made when it is first asked for.
  var mark: RequestMark {
    // Nothing else is ever put there under a host.
    if let hostMark { return unsafeDowncast(hostMark, to: RequestMark.self) }
    let mark = RequestMark()
    hostMark = mark
    return mark
  }
}

/// Values of the script that requests are made to call.
final class RequestCallbacks {
  let ids: [Int64]

  init(_ ids: [Int64]) {
    self.ids = ids
  }
}
