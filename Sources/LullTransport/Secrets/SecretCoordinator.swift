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

  /// - Parameter literal: Returns the secret text for a literal of the program; nil uses the
  ///   literal itself.
  init(pump: Pump, literal: ((String) -> String)?) {
    store = SecretStore(pump: pump)
    store.literal = literal
    clock = pump.clock
  }

  /// Calls `proceed` when the texts of the transfer's secrets are available, or with the reason why
  /// it must not be sent. If the texts are available already, that happens inside this call. If the
  /// transfer is cancelled before, `proceed` is not called.
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

  /// Returns the request with texts in place of masks. The result must not be stored.
  ///
  /// - Parameter hear: Receives all of these texts.
  func resolved(
    _ request: HTTPRequest, telling hear: (([ToldSecret]) -> Void)?
  ) throws(TransportError) -> HTTPRequest {
    let wire = try store.resolved(request)
    hear?(store.told(by: request, as: wire))
    return wire
  }

  /// Returns a search for those of the secrets whose texts are available.
  func search(for known: [KnownSecret]) -> SecretSearch { store.search(for: known) }

  /// Masks secrets in an error: the network may repeat what it was sent.
  func masked(_ error: TransportError, of transfer: CurlTransfer) -> TransportError {
    guard let exchange = transfer.secrets else { return error }
    return store.masked(error, exchange.known)
  }

  /// Returns a function that masks the secrets in the next hop. It throws if a secret would be sent
  /// to an origin that it is not bound to.
  func hiding(_ transfer: CurlTransfer, from origin: Origin) -> Redirect.Hiding {
    { [store] (next, target) throws(TransportError) in
      guard let exchange = transfer.secrets else { return next }
      return try store.redirected(
        next, from: transfer.request, at: origin, to: target, known: exchange.known)
    }
  }

  /// Ends running commands. Returns the exchanges that were waiting.
  func close() -> [CurlTransfer] {
    store.close()
    defer { waiting = [] }
    return waiting
  }

  /// Warns once for each origin.
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
  /// The secrets that the exchange began with; the server may know them.
  let known: [KnownSecret]
  /// Stops waiting for the texts; nil when they are available.
  var stop: (() -> Void)?
  /// Limits that wait.
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
  /// Returns the next hop of a request with secrets. Secrets in its URL are masked again. Throws if
  /// one of them would reach an origin that it is not bound to.
  ///
  /// What must not be redirected was removed before. The remaining places are a header that is
  /// kept, the body that 307 and 308 keep, and secrets that the server has put into the URL itself.
  ///
  /// - Parameter known: All secrets that the exchange began with; the server may know them.
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

  /// Returns a template for a URL that contains secrets, as the server wrote it, or nil.
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
  /// Returns why a request with secrets must not be sent here, or nil if it may.
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
