package import LullCore

/// The requests that are in flight or not settled. They are held with their hooks and their
/// service, and are cancelled when the run ends.
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
    // A request can end before it begins; its hooks still get the response.
    if let response = request.response { stored.hold(response, for: request) }
    // A request that began before Lua started is not referenced by any script.
    guard bridge.isStarted else { return }
    mark.isPinnedInFlight = stored.pin(request)
    if !mark.isPinnedInFlight { stored.noteLackOfMemory() }
  }

  /// Returns whether a request is held here.
  func has(_ request: Request) -> Bool {
    guard let place = request.mark.place, place < requests.count else { return false }
    return requests[place] === request
  }

  /// Returns when a held request began, in Unix seconds.
  func beginning(of request: Request) -> Double? {
    has(request) ? request.mark.since : nil
  }

  /// Releases a request whose hooks have been called or never will be.
  func settle(_ request: Request) {
    let mark = request.mark
    guard mark.place != nil else { return }
    stored.settle(request)
    untrack(request, mark)
    guard mark.isPinnedInFlight else { return }
    mark.isPinnedInFlight = false
    stored.unpin(request)
  }

  /// Removes a request from the work in progress.
  private func untrack(_ request: Request, _ mark: RequestMark) {
    guard let place = mark.place, place < requests.count else { return }
    mark.place = nil
    if mark.countsAsWeak { weakCount -= 1 }
    // Moves the last one into the gap, so that removal does not need a search.
    let last = requests.removeLast()
    guard last !== request else { return }
    last.mark.place = place
    requests[place] = last
  }

  /// The requests in flight, without those that are part of another request, and cache lookups.
  package var open: [Request] { requests.open }

  /// The unfinished requests for the message at the end of a script, without those that are part of
  /// another request, and endless streams.
  var descriptions: [String] {
    open.filter { !$0.mark.isWeak }.map { "\($0.method ?? "") \(LogText.url($0.url ?? ""))" }
      .sorted()
  }

  /// Whether a request that keeps the script alive satisfies the predicate.
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

  /// Makes all requests keep the owner of their script functions alive.
  func give(_ owner: AnyObject) {
    for request in requests { request.mark.owner = owner }
  }

  /// Marks a request that can no longer be completed, and every request that waits for it, as no
  /// longer in progress. Their hooks are not called (DEL-02), unless they are cancelled.
  func abandon(_ request: Request) {
    request.abandon()
    for stuck in requests where stuck.waits(for: request) {
      stuck.abandon()
      settle(stuck)
    }
  }

  /// Forgets all requests, because the state is closed or about to be.
  func close() {
    requests = []
    weakCount = 0
  }

  /// Whether there are requests and only the script can complete them.
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
