import CUV
import LullCore
import LullSystem

/// Handles the secrets of a provider's exchanges: checks where they may be sent, waits for their
/// texts, and masks them in messages.
final class SecretCoordinator {
  private let store: SecretStore
  private let clock: any HostClock
  /// Exchanges that wait for secret texts.
  private var waiting: [CurlTransfer] = []
  /// Origins that receive secrets unencrypted and for which the user was warned.
  private var warned: Set<Origin> = []

  /// - Parameter literal: A function that returns the secret text for a literal in the program. If
  ///   it is nil, the literal itself is the secret text.
  init(pump: Pump, literal: ((String) -> String)?) {
    store = SecretStore(pump: pump)
    store.literal = literal
    clock = pump.clock
  }

  /// Calls `proceed` with nil when the texts of the transfer's secrets are available, or with an
  /// error if the transfer must not be sent or a text is not available. If all texts are already
  /// available, `proceed` is called inside this call. If the transfer is cancelled earlier,
  /// `proceed` is not called.
  func admit(
    _ transfer: CurlTransfer, to origin: Origin, _ proceed: @escaping (TransportError?) -> Void
  ) {
    if let problem = origin.secretProblem(of: transfer.request) { return proceed(problem) }
    let secrets = SecretStore.secrets(of: transfer.request)
    let exchange = SecretExchange(KnownSecret.all(of: transfer.request))
    transfer.secrets = exchange
    // A socket on this machine cannot be intercepted.
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
    // Other exchanges may still wait for the same secret.
    exchange.timer = clock.schedule(after: transfer.remainingTime) { [weak self, weak transfer] in
      guard let self, let transfer, cancel(transfer) else { return }
      proceed(store.lateness(of: secrets, transfer.request.limits))
    }
  }

  /// Stops waiting for secret texts. Returns whether the transfer was waiting.
  func cancel(_ transfer: CurlTransfer) -> Bool {
    guard let exchange = transfer.secrets, let stop = exchange.stop else { return false }
    stop()
    exchange.endWaiting()
    waiting.removeAll { $0 === transfer }
    return true
  }

  /// Returns the request with the texts of its secrets in place of their masks. The result must not
  /// be stored.
  ///
  /// - Parameter hear: A function that receives all texts in the result that reveal a secret.
  func resolved(
    _ request: HTTPRequest, telling hear: (([ToldSecret]) -> Void)?
  ) throws(TransportError) -> HTTPRequest {
    let wire = try store.resolved(request)
    hear?(store.told(by: request, as: wire))
    return wire
  }

  /// Returns a search that finds the texts of the `known` secrets. Secrets whose texts are not
  /// available are omitted.
  func search(for known: [KnownSecret]) -> SecretSearch { store.search(for: known) }

  /// Masks the transfer's secrets in an error, because its message may repeat text that was sent.
  func masked(_ error: TransportError, of transfer: CurlTransfer) -> TransportError {
    guard let exchange = transfer.secrets else { return error }
    return store.masked(error, exchange.known)
  }

  /// Returns a function that masks the transfer's secrets in the request for the target of a
  /// redirect. The function throws if a secret would be sent to an origin to which the secret is
  /// not bound.
  func hiding(_ transfer: CurlTransfer, from origin: Origin) -> Redirect.Hiding {
    { [store] (next, target) throws(TransportError) in
      guard let exchange = transfer.secrets else { return next }
      return try store.redirected(
        next, from: transfer.request, at: origin, to: target, known: exchange.known)
    }
  }

  /// Terminates the commands that are running. Returns the exchanges that waited for secret texts.
  func close() -> [CurlTransfer] {
    store.close()
    defer { waiting = [] }
    return waiting
  }

  /// Warns that a secret is sent unencrypted, once for each origin.
  private func warn(of secrets: [Secret], to origin: Origin) {
    guard !origin.isPrivate, let secret = secrets.first, warned.insert(origin).inserted else {
      return
    }
    StandardError.write(
      "lull: warning: \(secret.mask) is sent unencrypted to \(origin.text); use https\n")
  }
}

/// The additional state of an exchange with secrets.
final class SecretExchange {
  /// The secrets in the first request of the exchange. The server may know them.
  let known: [KnownSecret]
  /// Stops waiting for the texts; nil when they are available.
  var stop: (() -> Void)?
  /// The timer that fails the exchange if the texts are not available before its timeout.
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
  /// Returns the request for the target of a redirect, with the secrets of `request`. Secrets in
  /// the URL of the target are masked again. Throws if a secret would be sent to an origin to which
  /// the secret is not bound.
  ///
  /// Credentials that must not follow the redirect were removed before. Secrets can remain in a
  /// header that is kept, in a body that is kept for 307 and 308, and in a URL into which the
  /// server has put them.
  ///
  /// - Parameter known: All secrets in the first request of the exchange. The server may know them.
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

  /// Returns the URL as a template in which secrets are masked. Their spelling stays as the server
  /// wrote it. Returns nil if the URL contains no secret.
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
  /// Returns an error if a request with secrets must not be sent to this origin, or nil if it may
  /// be sent.
  func secretProblem(of request: HTTPRequest) -> TransportError? {
    request.secretOriginProblem(target: text) { Origin(of: $0) == self }
  }

  /// Whether requests to this origin cannot be read in transit: they are encrypted, or stay on this
  /// machine.
  var isPrivate: Bool {
    isTLS || host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || host.hasPrefix("127.") && isNumeric
  }
}
