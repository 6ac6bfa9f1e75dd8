import LullCore

/// What the exchanges of a provider do about secrets: where they may go, who waits for their texts,
/// what is said of them.
final class SecretDesk {
  private let store: SecretStore
  /// Exchanges that wait for texts.
  private var waiting: [CurlTransfer] = []
  /// Where secrets go in the clear, and the user has been told.
  private var warned: Set<Origin> = []

  init(pump: Pump) {
    store = SecretStore(pump: pump)
  }

  /// Calls `proceed` once the texts of its secrets are there, inside this call if they are, or with
  /// the reason why it must not go out; not at all if it is cancelled before.
  func admit(
    _ transfer: CurlTransfer, to origin: Origin, _ proceed: @escaping (TransportError?) -> Void
  ) {
    if let problem = origin.secretProblem(of: transfer.request) { return proceed(problem) }
    let secrets = SecretStore.secrets(of: transfer.request)
    let exchange = SecretExchange(secrets)
    transfer.secrets = exchange
    warn(of: secrets, to: origin)
    var isFetched = false
    let stop = store.fetch(secrets) { [weak self] error in
      isFetched = true
      exchange.stop = nil
      self?.waiting.removeAll { $0 === transfer }
      proceed(error)
    }
    guard !isFetched else { return }
    exchange.stop = stop
    waiting.append(transfer)
  }

  /// Whether it has waited for texts, and does so no more.
  func cancel(_ transfer: CurlTransfer) -> Bool {
    guard let stop = transfer.secrets?.stop else { return false }
    stop()
    waiting.removeAll { $0 === transfer }
    return true
  }

  /// The request with texts in place of masks, not to be kept.
  func resolved(_ request: HTTPRequest) throws(TransportError) -> HTTPRequest {
    try store.resolved(request)
  }

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
  let known: [Secret]
  /// Stops waiting for their texts; nil once they are there.
  var stop: (() -> Void)?

  init(_ known: [Secret]) {
    self.known = known
  }
}
