import LullCore

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
