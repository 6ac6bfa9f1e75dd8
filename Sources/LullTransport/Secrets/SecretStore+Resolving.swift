import LullCore

/// Requests as they go on the wire. The texts are in what is returned, which must not be kept.
extension SecretStore {
  /// All secrets of a request, each once, in order.
  ///
  /// - Parameter isSent: whether those are left out that it is only signed with.
  static func secrets(of request: HTTPRequest, isSent: Bool = false) -> [Secret] {
    var secrets: [Secret] = []
    for (secret, place) in request.secretPlaces
    where !secrets.contains(secret) && !(isSent && place == HTTPRequest.signaturePlace) {
      secrets.append(secret)
    }
    return secrets
  }

  /// The request with texts in place of masks, and signed by all of it; fails if one of them is not
  /// there, or fits no header.
  func resolved(_ request: HTTPRequest) throws(TransportError) -> HTTPRequest {
    var wire = request
    wire.secrets = nil
    if let template = request.secretURL {
      wire.url = String(decoding: try bytes(of: template), as: UTF8.self)
    }
    if let template = request.secretBody { wire.body = try bytes(of: template) }
    if case .streamed(let body)? = request.payload, !body.secretTexts.isEmpty {
      wire.payload = .streamed(
        try body.resolved { text throws(TransportError) in try bytes(of: text) })
    }
    wire.headers = try request.headers.resolved { name, text throws(TransportError) in
      let bytes = try bytes(of: text)
      if let problem = Headers.valueProblem(bytes) {
        throw TransportError(
          .secretUnavailable,
          "\(text.masked) cannot be sent in the header '\(name)': what it stands for \(problem)")
      }
      return bytes
    }
    if let signature = request.secrets?.signature {
      try signature.sign(&wire, at: pump.clock.now) { text throws(TransportError) in
        try bytes(of: text)
      }
    }
    return wire
  }

  private func bytes(of template: SecretTemplate) throws(TransportError) -> [UInt8] {
    var result: [UInt8] = []
    for piece in template.pieces {
      switch piece {
      case .literal(let bytes): result += bytes
      case .value(let text, let escaping): result += escaping.escaped(try bytes(of: text))
      }
    }
    return result
  }

  func bytes(of text: SecretText) throws(TransportError) -> [UInt8] {
    var result: [UInt8] = []
    for piece in text.pieces {
      switch piece {
      case .literal(let text): result += (literal?(text) ?? text).utf8
      case .base64(let inner): result += Base64.encode(try bytes(of: inner))
      case .escaped(let inner): result += SecretEscaping.form.escaped(try bytes(of: inner))
      case .digest(let digest): result += try bytes(of: digest)
      case .secret(let secret):
        guard let bytes = try self.text(of: secret) else {
          throw SecretStore.unavailable(secret, "it was not read")
        }
        result += bytes
      }
    }
    return result
  }

  private func bytes(of digest: SecretDigest) throws(TransportError) -> [UInt8] {
    let message = try bytes(of: digest.message)
    let key = try digest.key.map { key throws(TransportError) in try bytes(of: key) }
    let made = message.withUnsafeBufferPointer { message in
      guard let key else { return digest.kind.of(message) }
      return key.withUnsafeBufferPointer { digest.kind.hmac(key: $0, message) }
    }
    guard let made else {
      throw TransportError(
        .secretUnavailable, "there is no \(digest.kind.rawValue) here: it needs libcrypto.so.3")
    }
    return digest.isRaw ? made : Array(Hexadecimal.text(made).utf8)
  }

  private func bytes(of input: SecretDigest.Input) throws(TransportError) -> [UInt8] {
    switch input {
    case .bytes(let bytes): bytes
    case .secret(let text): try bytes(of: text)
    }
  }

  /// Why a request is not sent that has waited for all of its time.
  func lateness(of secrets: [Secret], _ limits: TransferLimits) -> TransportError {
    let missing = secrets.first { secret in ((try? text(of: secret)) ?? nil) == nil }
    return TransportError(
      .timeout,
      "\(missing?.mask ?? "a secret") was not there within \(LogText.seconds(limits.timeout))")
  }

  /// What finds those of them whose texts are there.
  func search(for known: [KnownSecret]) -> SecretSearch {
    var search = SecretSearch()
    for known in known {
      guard let bytes = try? bytes(of: known.text) else { continue }
      search.add(known.secret, bytes)
    }
    return search
  }

  /// A message that may hold what the network said, with masks for secrets.
  func masked(_ error: TransportError, _ known: [KnownSecret]) -> TransportError {
    var error = error
    error.message = search(for: known).masked(error.message)
    return error
  }
}
