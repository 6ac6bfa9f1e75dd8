package import LullCore

/// Requests, in flight or not settled: held with their hooks and their service, to be cancelled when the
/// run ends.
///
/// Home thread only.
package final class RequestsInFlight {
  private let bridge: BridgeRuntime
  private let stored: StoredValues
  private let pump: Pump
  private var requests: [Request] = []
  /// How many of them do not keep the script alive.
  private var weakCount = 0

  init(_ stored: StoredValues, _ pump: Pump) {
    bridge = stored.bridge
    self.stored = stored
    self.pump = pump
  }

  /// Whether none keeps the script alive.
  package var isEmpty: Bool { requests.count == weakCount }

  /// Whether some do not keep the script alive.
  var hasStreams: Bool { weakCount > 0 }

  /// Connections of streams.
  var streamCount: Int { requests.count { $0.mark.isWeak && !$0.isCompleted } }

  /// Holds a request until its hooks have been delivered.
  func track(_ request: Request) {
    let mark = request.mark
    guard mark.place == nil, !bridge.isClosed else { return }
    mark.place = requests.count
    if request.isStream { mark.isWeak = true }
    mark.countsAsWeak = mark.isWeak
    if mark.countsAsWeak { weakCount += 1 }
    requests.append(request)
    mark.since = pump.clock.now
    // What it has ended with before it could begin, to be seen by its hooks.
    if let response = request.response { stored.hold(response, for: request) }
    // No script has one that began before there was Lua.
    guard bridge.isStarted else { return }
    mark.isPinnedInFlight = stored.pin(request)
    if !mark.isPinnedInFlight { stored.noteLackOfMemory() }
  }

  /// Whether it is one of those that are held here.
  func has(_ request: Request) -> Bool {
    guard let place = request.mark.place, place < requests.count else { return false }
    return requests[place] === request
  }

  /// When one of them has begun, in Unix seconds.
  func beginning(of request: Request) -> Double? {
    has(request) ? request.mark.since : nil
  }

  /// Its hooks have been delivered, or never will be.
  func settle(_ request: Request) {
    let mark = request.mark
    guard mark.place != nil else { return }
    stored.settle(request)
    untrack(request, mark)
    guard mark.isPinnedInFlight else { return }
    mark.isPinnedInFlight = false
    stored.unpin(request)
  }

  /// The request is no work in progress any more.
  private func untrack(_ request: Request, _ mark: RequestMark) {
    guard let place = mark.place, place < requests.count else { return }
    mark.place = nil
    if mark.countsAsWeak { weakCount -= 1 }
    // The last one moves into the gap: no searching, however many there are.
    let last = requests.removeLast()
    guard last !== request else { return }
    last.mark.place = place
    requests[place] = last
  }

  /// What is in flight, without the parts of that and cache checks.
  package var open: [Request] { requests.open }

  /// What a script that ends leaves behind, for the line that says so: what it asked for, not the
  /// parts of that, nor streams, which go on for ever.
  var descriptions: [String] {
    open.filter { !$0.mark.isWeak }.map { "\($0.method ?? "") \(LogText.url($0.url ?? ""))" }
      .sorted()
  }

  /// Whether one that keeps the script alive is so.
  func contains(where predicate: (Request) -> Bool) -> Bool {
    requests.contains { !$0.mark.isWeak && predicate($0) }
  }

  func cancelAll() {
    for request in requests { request.cancel() }
  }

  /// Cancels those that scripts have begun.
  func cancelOwn() {
    for request in requests where request.mark.isScripts { request.cancel() }
  }

  /// Has all of them hold what their functions of scripts need.
  func give(_ owner: AnyObject) {
    for request in requests { request.mark.owner = owner }
  }

  /// Nobody can complete the request any more, nor what waits for it: they are no work in progress.
  /// Their hooks stay unheard (DEL-02), unless they are cancelled.
  func abandon(_ request: Request) {
    request.abandon()
    for stuck in requests where stuck.waits(for: request) {
      stuck.abandon()
      settle(stuck)
    }
  }

  /// Forgets them: the state goes away, or has gone.
  func close() {
    requests = []
    weakCount = 0
  }

  /// Whether there are some, and nothing but the script can complete any of them.
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
