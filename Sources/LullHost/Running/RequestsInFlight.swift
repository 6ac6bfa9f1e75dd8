package import LullCore

/// Holds the requests that are in flight or have not settled, together with their hooks and
/// services. The requests are cancelled when the run ends.
///
/// Home thread only.
package final class RequestsInFlight {
  private let bridge: BridgeRuntime
  private let stored: StoredValues
  private let pump: Pump
  private var requests: [Request] = []
  /// The number of requests that do not keep the script alive.
  private var weakCount = 0

  init(_ stored: StoredValues, _ pump: Pump) {
    bridge = stored.bridge
    self.stored = stored
    self.pump = pump
  }

  /// Whether no request keeps the script alive.
  package var isEmpty: Bool { requests.count == weakCount }

  /// Whether some requests do not keep the script alive.
  var hasStreams: Bool { weakCount > 0 }

  /// The number of open stream connections.
  var streamCount: Int { requests.count { $0.mark.isWeak && !$0.isCompleted } }

  /// Holds a request until its hooks have been called.
  func track(_ request: Request) {
    let mark = request.mark
    guard mark.place == nil, !bridge.isClosed else { return }
    mark.place = requests.count
    if request.isStream { mark.isWeak = true }
    mark.countsAsWeak = mark.isWeak
    if mark.countsAsWeak { weakCount += 1 }
    requests.append(request)
    mark.since = pump.clock.now
    // A request can fail before it begins. Its hooks still get the response, so the script values
    // in the response must be kept alive.
    if let response = request.response { stored.hold(response, for: request) }
    // If Lua has not started, no script can refer to the request, so it has no userdata to pin.
    guard bridge.isStarted else { return }
    mark.isPinnedInFlight = stored.pin(request)
    if !mark.isPinnedInFlight { stored.noteLackOfMemory() }
  }

  /// Returns whether this object holds the request.
  func has(_ request: Request) -> Bool {
    guard let place = request.mark.place, place < requests.count else { return false }
    return requests[place] === request
  }

  /// Returns the time when a request began, in seconds since 1970. Returns nil if this object does
  /// not hold the request.
  func beginning(of request: Request) -> Double? {
    has(request) ? request.mark.since : nil
  }

  /// Releases a request whose hooks have been called or will never be called.
  func settle(_ request: Request) {
    let mark = request.mark
    guard mark.place != nil else { return }
    stored.settle(request)
    untrack(request, mark)
    guard mark.isPinnedInFlight else { return }
    mark.isPinnedInFlight = false
    stored.unpin(request)
  }

  /// Removes a request from the list.
  private func untrack(_ request: Request, _ mark: RequestMark) {
    guard let place = mark.place, place < requests.count else { return }
    mark.place = nil
    if mark.countsAsWeak { weakCount -= 1 }
    // The last request is moved into the gap, so that removing a request needs no search.
    let last = requests.removeLast()
    guard last !== request else { return }
    last.mark.place = place
    requests[place] = last
  }

  /// The requests in flight. Requests that are part of another request, and cache lookups, are not
  /// included.
  package var open: [Request] { requests.open }

  /// Descriptions of the unfinished requests, for the message at the end of a script. Requests that
  /// are part of another request, and endless streams, are not included.
  var descriptions: [String] {
    open.filter { !$0.mark.isWeak }.map { "\($0.method ?? "") \(LogText.url($0.url ?? ""))" }
      .sorted()
  }

  /// Returns whether any request that keeps the script alive satisfies the predicate.
  func contains(where predicate: (Request) -> Bool) -> Bool {
    requests.contains { !$0.mark.isWeak && predicate($0) }
  }

  func cancelAll() {
    for request in requests { request.cancel() }
  }

  /// Cancels the requests that scripts have started.
  func cancelOwn() {
    for request in requests where request.mark.isScripts { request.cancel() }
  }

  /// Sets the owner of the script functions of all requests. Each request keeps the owner alive.
  func give(_ owner: AnyObject) {
    for request in requests { request.mark.owner = owner }
  }

  /// Handles a request that can no longer be completed. The request, and every request that waits
  /// for it, no longer counts as in progress. The hooks of these requests are not called (DEL-02),
  /// unless the requests are cancelled.
  func abandon(_ request: Request) {
    request.abandon()
    for stuck in requests where stuck.waits(for: request) {
      stuck.abandon()
      settle(stuck)
    }
  }

  /// Removes all requests from this object. Called when the state is closed or about to be closed.
  func close() {
    requests = []
    weakCount = 0
  }

  /// Whether there are requests in flight, and only the script can complete them.
  var areForScriptToComplete: Bool {
    !isEmpty
      && requests.allSatisfy { request in
        guard !request.mark.isWeak else { return true }
        return switch request {
        case is CustomRequest, is ChainedRequest: true
        case let request as NetworkRequest:
          request.resource?.service.networking is LuaNetworking
            || request.innermostTransfer is LuaNetworking.Transfer
        default: false
        }
      }
  }
}
