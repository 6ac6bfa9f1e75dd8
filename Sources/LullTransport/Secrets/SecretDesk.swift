import CUV
import LullCore
import LullSystem

/// What the exchanges of a provider do about secrets: where they may go, who waits for their texts,
/// what is said of them.
final class SecretDesk {
  private let store: SecretStore
  private let clock: any HostClock
  /// Exchanges that wait for texts.
  private var waiting: [CurlTransfer] = []
  /// Where secrets go in the clear, and the user has been told.
  private var warned: Set<Origin> = []

  /// - Parameter literal: what texts that stand in the program itself stand for; nil: for themselves.
  init(pump: Pump, literal: ((String) -> String)?) {
    store = SecretStore(pump: pump)
    store.literal = literal
    clock = pump.clock
  }

  /// Calls `proceed` once the texts of its secrets are there, inside this call if they are, or with
  /// the reason why it must not go out; not at all if it is cancelled before.
  func admit(
    _ transfer: CurlTransfer, to origin: Origin, _ proceed: @escaping (TransportError?) -> Void
  ) {
    if let problem = origin.secretProblem(of: transfer.request) { return proceed(problem) }
    let secrets = SecretStore.secrets(of: transfer.request)
    let exchange = SecretExchange(KnownSecret.all(of: transfer.request))
    transfer.secrets = exchange
    // Through a socket of this machine nobody is on the way.
    if transfer.request.options?.connection.unixSocket == nil {
      warn(of: SecretStore.secrets(of: transfer.request, isSent: true), to: origin)
    }
    var isFetched = false
    let began = uv_hrtime()
    let stop = store.fetch(secrets) { [weak self, unowned transfer] error in
      isFetched = true
      if exchange.stop != nil { transfer.hasWaited(Double(uv_hrtime() - began) / 1e9) }
      exchange.endWaiting()
      self?.waiting.removeAll { $0 === transfer }
      proceed(error)
    }
    guard !isFetched else { return }
    exchange.stop = stop
    waiting.append(transfer)
    // Others may go on waiting for the same.
    exchange.timer = clock.schedule(after: transfer.remainingTime) { [weak self, weak transfer] in
      guard let self, let transfer, cancel(transfer) else { return }
      proceed(store.lateness(of: secrets, transfer.request.limits))
    }
  }

  /// Whether it has waited for texts, and does so no more.
  func cancel(_ transfer: CurlTransfer) -> Bool {
    guard let exchange = transfer.secrets, let stop = exchange.stop else { return false }
    stop()
    exchange.endWaiting()
    waiting.removeAll { $0 === transfer }
    return true
  }

  /// The request with texts in place of masks, not to be kept.
  ///
  /// - Parameter hear: is told all of these texts.
  func resolved(
    _ request: HTTPRequest, telling hear: (([ToldSecret]) -> Void)?
  ) throws(TransportError) -> HTTPRequest {
    let wire = try store.resolved(request)
    hear?(store.told(by: request, as: wire))
    return wire
  }

  /// What finds those whose texts are there.
  func search(for known: [KnownSecret]) -> SecretSearch { store.search(for: known) }

  /// The network may say what it was told.
  func masked(_ error: TransportError, of transfer: CurlTransfer) -> TransportError {
    guard let exchange = transfer.secrets else { return error }
    return store.masked(error, exchange.known)
  }

  /// What puts the secrets of the next hop out of sight, or fails since one would go where it must
  /// not.
  func hiding(_ transfer: CurlTransfer, from origin: Origin) -> Redirect.Hiding {
    { [store] (next, target) throws(TransportError) in
      guard let exchange = transfer.secrets else { return next }
      return try store.redirected(
        next, from: transfer.request, at: origin, to: target, known: exchange.known)
    }
  }

  /// Ends what runs; those that waited.
  func close() -> [CurlTransfer] {
    store.close()
    defer { waiting = [] }
    return waiting
  }

  /// Once for each origin.
  private func warn(of secrets: [Secret], to origin: Origin) {
    guard !origin.isPrivate, let secret = secrets.first, warned.insert(origin).inserted else {
      return
    }
    StandardError.write(
      "lull: warning: \(secret.mask) goes unencrypted to \(origin.text); use https\n")
  }
}

/// What an exchange with secrets keeps beside.
final class SecretExchange {
  /// Those it began with, which the server may know.
  let known: [KnownSecret]
  /// Stops waiting for their texts; nil once they are there.
  var stop: (() -> Void)?
  /// Bounds that wait.
  var timer: (any HostTimer)?

  func endWaiting() {
    stop = nil
    timer?.cancel()
    timer = nil
  }

  init(_ known: [KnownSecret]) {
    self.known = known
  }
}
