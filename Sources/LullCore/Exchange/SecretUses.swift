/// The secrets of a request outside its headers, and where they may be sent.
///
/// The object is immutable. `HTTPRequest.secrets` is nil for a request without secrets. The URL and
/// body of the request are masked, and the templates with the secrets are stored here. They apply
/// only while URL and body are unchanged: a mutation that replaces the URL or body removes the
/// secrets from it.
public final class SecretUses: Sendable, Equatable {
  /// Scheme, host and port of the request's service; nil if the service has no base URL.
  package let origin: String?
  package let url: SecretTemplate?
  package let body: SecretTemplate?
  /// Signs the whole request when it is sent; nil if it isn't signed.
  package let signature: (any RequestSignature)?
  /// The names of the query parameters that are credentials of the configuration and not part of
  /// the resource's URL.
  package let credentialNames: [String]

  package init(
    origin: String? = nil, url: SecretTemplate? = nil, body: SecretTemplate? = nil,
    signature: (any RequestSignature)? = nil, credentialNames: [String] = []
  ) {
    self.credentialNames = credentialNames
    self.origin = origin
    self.url = url
    self.body = body
    self.signature = signature
  }

  public static func == (left: SecretUses, right: SecretUses) -> Bool {
    left === right
      || left.origin == right.origin && left.url == right.url && left.body == right.body
        && left.signature === right.signature && left.credentialNames == right.credentialNames
  }
}

extension HTTPRequest {
  /// Scheme, host and port of the URL.
  package var origin: String { ResourceURL(unchecked: url).origin }

  /// The template of the URL, if it contains secrets.
  package var secretURL: SecretTemplate? {
    guard let template = secrets?.url, url.utf8.elementsEqual(template.masked) else { return nil }
    return template
  }

  /// The URL without the query parameters that are secrets; nil if no parameter is secret.
  package var urlWithoutSecrets: String? {
    secretURL?.withoutParameters { _ in true }.maskedText
  }

  /// The URL of a response in the form that is shown. Credentials that were added to the query are
  /// removed, since a redirect may have kept them. (QRY-03)
  func withoutCredentials(_ answered: String) -> String {
    let names = (secrets?.credentialNames ?? []).map {
      SecretEscaping.parameter.escaped($0.utf8)
    }
    guard !names.isEmpty else { return answered }
    if let secretURL, answered.utf8.elementsEqual(url.utf8) {
      return secretURL.withoutParameters { name in names.contains { $0.elementsEqual(name) } }
        .maskedText
    }
    guard let start = answered.firstIndex(of: "?") else { return answered }
    let end = answered[start...].firstIndex(of: "#") ?? answered.endIndex
    let pairs = answered[answered.index(after: start)..<end].split(
      separator: "&", omittingEmptySubsequences: false)
    let kept = pairs.filter { pair in
      let name = pair.prefix { $0 != "=" }
      return !pair.dropFirst(name.count + 1).hasPrefix("‹")
        || !names.contains { $0.elementsEqual(name.utf8) }
    }
    guard kept.count < pairs.count else { return answered }
    let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
    return answered[..<start] + query + answered[end...]
  }

  /// The template of the body, if it contains secrets.
  package var secretBody: SecretTemplate? {
    guard let template = secrets?.body, let body, body == template.masked else { return nil }
    return template
  }

  /// Marks the request as signed. The header contains `mask` until the request is sent.
  ///
  /// - Throws: `secretOrigin` if a secret of the signature may not be sent to the URL.
  package mutating func sign(
    by signature: any RequestSignature, header: String, mask: String
  ) throws(TransportError) {
    headers[header] = mask
    secrets = SecretUses(
      origin: secrets?.origin, url: secrets?.url, body: secrets?.body, signature: signature,
      credentialNames: secrets?.credentialNames ?? [])
    if let problem = secretOriginProblem { throw problem }
  }

  /// Appends `rest` to the URL and keeps its secrets.
  package mutating func appendToURL(_ rest: String) {
    if var template = secretURL {
      template.append(rest.utf8)
      secrets = SecretUses(origin: secrets?.origin, url: template, body: secrets?.body)
    }
    url += rest
  }

  /// The secrets of a streamed body.
  private var streamedSecrets: [SecretText] {
    if case .streamed(let body)? = payload { body.secretTexts } else { [] }
  }

  /// Whether the body contains a secret, in memory or streamed.
  package var hasSecretsInBody: Bool { secretBody != nil || !streamedSecrets.isEmpty }

  /// Whether the request sends or signs with a secret.
  package var hasSecrets: Bool {
    headers.hasSecrets || secretURL != nil || hasSecretsInBody || secrets?.signature != nil
  }

  /// Every secret that the request sends or signs with, and its place in the request, in order:
  /// URL, headers, body, signature.
  package var secretPlaces: [(secret: Secret, place: String)] {
    var places: [(secret: Secret, place: String)] = []
    for secret in secretURL?.secrets ?? [] { places.append((secret, "its URL")) }
    for (name, text) in headers.secretValues {
      for secret in text.secrets { places.append((secret, "the header '\(name)'")) }
    }
    for secret in secretBody?.secrets ?? [] { places.append((secret, "its body")) }
    for text in streamedSecrets {
      for secret in text.secrets { places.append((secret, "its body")) }
    }
    for text in secrets?.signature?.secrets ?? [] {
      for secret in text.secrets { places.append((secret, HTTPRequest.signaturePlace)) }
    }
    return places
  }

  /// The place of secrets that sign the request and aren't sent.
  package static let signaturePlace = "its signature"

  /// Every text with secrets that the request sends or signs with.
  package var secretTexts: [SecretText] {
    (secretURL?.texts ?? []) + headers.secretValues.map(\.text) + (secretBody?.texts ?? [])
      + streamedSecrets + (secrets?.signature?.secrets ?? [])
  }

  /// The error if a secret may not be sent to the request's URL; nil if every secret may be sent
  /// there.
  package var secretOriginProblem: TransportError? {
    let target = origin
    return secretOriginProblem(target: target) { ResourceURL(absolute: $0)?.origin == target }
  }

  /// The error if a secret would reach an origin that it isn't bound to; nil if no secret would.
  ///
  /// - Parameters:
  ///   - target: Scheme, host and port of the receiver.
  ///   - isTarget: Whether a URL has the same origin as the receiver.
  package func secretOriginProblem(target: String, _ isTarget: (String) -> Bool) -> TransportError?
  {
    let home = secrets?.origin
    if let home, isTarget(home) { return nil }
    for (secret, place) in secretPlaces where !secret.origins.contains(where: isTarget) {
      let bound =
        home.map { "it is bound to \($0)" }
        ?? "the service has no base URL, and the secret names no origins"
      return TransportError(
        .secretOrigin,
        "\(secret.mask) in \(place) is not sent to \(target): \(bound) "
          + "(origins = { \"\(target)\" } of lull.secret allows it)")
    }
    return nil
  }
}
