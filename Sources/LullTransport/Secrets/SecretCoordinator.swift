import CUV
import LullCore
import LullSystem

/// What the exchanges of a provider do about secrets: where they may go, who waits for their texts,
/// what is said of them.
final class SecretCoordinator {
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

extension SecretStore {
  /// The next hop of a request with secrets: those in its URL masked again, or an error if one of
  /// them would reach an origin it is not bound to.
  ///
  /// What must not travel has been dropped already. What is left is a header that is kept, the body
  /// that 307 and 308 keep, and what the server has put into the URL itself.
  ///
  /// - Parameter known: all that the exchange began with, which the server may know.
  func redirected(
    _ next: HTTPRequest, from request: HTTPRequest, at origin: Origin, to target: Origin,
    known: [KnownSecret]
  ) throws(TransportError) -> HTTPRequest {
    var next = next
    let url = template(of: next.url, hiding: known)
    if let url { next.url = url.maskedText }
    next.secrets = SecretUses(
      origin: request.secrets?.origin, url: url,
      body: next.body == nil ? nil : request.secrets?.body,
      signature: target == origin ? request.secrets?.signature : nil)
    guard let problem = target.secretProblem(of: next) else { return next }
    throw TransportError(
      problem.kind, "\(origin.hostAndPort) redirects to \(target.hostAndPort): \(problem.message)")
  }

  /// The URL with the secrets that stand in it, written as the server has; nil if there is none.
  private func template(of url: String, hiding known: [KnownSecret]) -> SecretTemplate? {
    let bytes = Array(url.utf8)
    let matches = search(for: known).matches(in: bytes, takesShort: true)
    guard !matches.isEmpty else { return nil }
    var template = SecretTemplate()
    var end = 0
    for match in matches {
      template.append(bytes[end..<match.range.lowerBound])
      let spelling = Secret(
        .literal(String(escaping: bytes[match.range])), name: match.secret.name,
        origins: match.secret.origins)
      template.append(SecretText(spelling), .verbatim)
      end = match.range.upperBound
    }
    template.append(bytes[end...])
    return template
  }
}

extension Origin {
  /// Why a request with secrets must not go here; nil if it may.
  func secretProblem(of request: HTTPRequest) -> TransportError? {
    request.secretOriginProblem(target: text) { Origin(of: $0) == self }
  }

  /// Whether what is sent here can be read by nobody on the way: encrypted, or never on the way.
  var isPrivate: Bool {
    isTLS || host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || host.hasPrefix("127.") && isNumeric
  }
}
