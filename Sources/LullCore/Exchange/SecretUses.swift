/// The secrets in the URL and body of a request, and the origin to which they may be sent.
///
/// The object is immutable. `HTTPRequest.secrets` is nil for a request without secrets. The URL and
/// the body in the request are masked; this object has the templates with the secrets. A template
/// applies only while the URL or body in the request is unchanged: a mutation that replaces the URL
/// or body also removes the secrets from it.
public final class SecretUses: Sendable, Equatable {
  /// The origin (scheme, host and port) of the request's service; nil if the service has no base
  /// URL.
  package let origin: String?
  package let url: SecretTemplate?
  package let body: SecretTemplate?
  /// Signs the whole request when it is sent; nil if the request isn't signed.
  package let signature: (any RequestSignature)?
  /// The names of the query parameters that are credentials of the configuration. These parameters
  /// are not part of the resource's URL.
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
  /// The origin of the URL: scheme, host and port.
  package var origin: String { ResourceURL(unchecked: url).origin }

  /// The URL with its secrets; nil if it contains none.
  package var secretURL: SecretTemplate? {
    guard let template = secrets?.url, url.utf8.elementsEqual(template.masked) else { return nil }
    return template
  }

  /// The URL without the query parameters that are secrets; nil if no parameter is secret.
  package var urlWithoutSecrets: String? {
    secretURL?.withoutParameters { _ in true }.maskedText
  }

  /// Returns the URL of a response in the form in which it is shown. Credentials that were added to
  /// the query are removed, because the URL of a redirect may still contain them. (QRY-03)
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

  /// The body with its secrets; nil if it contains none.
  package var secretBody: SecretTemplate? {
    guard let template = secrets?.body, let body, body == template.masked else { return nil }
    return template
  }

  /// Records that `signature` signs the request. The header named `header` contains `mask` until
  /// the request is sent.
  ///
  /// - Throws: `secretOrigin` if a secret of the signature may not be sent to the URL of the
  ///   request.
  package mutating func sign(
    by signature: any RequestSignature, header: String, mask: String
  ) throws(TransportError) {
    headers[header] = mask
    secrets = SecretUses(
      origin: secrets?.origin, url: secrets?.url, body: secrets?.body, signature: signature,
      credentialNames: secrets?.credentialNames ?? [])
    if let problem = secretOriginProblem { throw problem }
  }

  /// Appends `rest` to the URL. The secrets in the URL are kept.
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

  /// Whether the body contains a secret, either in memory or in a streamed body.
  package var hasSecretsInBody: Bool { secretBody != nil || !streamedSecrets.isEmpty }

  /// Whether the request contains a secret or is signed with a secret.
  package var hasSecrets: Bool {
    headers.hasSecrets || secretURL != nil || hasSecretsInBody || secrets?.signature != nil
  }

  /// Every secret that the request contains or is signed with, and the name of its location: first
  /// the secrets of the URL, then of the headers, the body and the signature.
  package var secretPlaces: [(secret: Secret, place: String)] {
    var places: [(secret: Secret, place: String)] = []
    for secret in secretURL?.secrets ?? [] { places.append((secret, "the URL")) }
    for (name, text) in headers.secretValues {
      for secret in text.secrets { places.append((secret, "the header '\(name)'")) }
    }
    for secret in secretBody?.secrets ?? [] { places.append((secret, "the body")) }
    for text in streamedSecrets {
      for secret in text.secrets { places.append((secret, "the body")) }
    }
    for text in secrets?.signature?.secrets ?? [] {
      for secret in text.secrets { places.append((secret, HTTPRequest.signaturePlace)) }
    }
    return places
  }

  /// The location reported for secrets that sign the request. These secrets aren't sent.
  package static let signaturePlace = "the signature"

  /// Every text with secrets that the request contains or is signed with.
  package var secretTexts: [SecretText] {
    (secretURL?.texts ?? []) + headers.secretValues.map(\.text) + (secretBody?.texts ?? [])
      + streamedSecrets + (secrets?.signature?.secrets ?? [])
  }

  /// The error for a secret that may not be sent to the request's URL; nil if all secrets may be
  /// sent there.
  package var secretOriginProblem: TransportError? {
    let target = origin
    return secretOriginProblem(target: target) { ResourceURL(absolute: $0)?.origin == target }
  }

  /// The error for a secret that may not be sent to `target`; nil if all secrets may be sent there.
  ///
  /// - Parameters:
  ///   - target: The origin (scheme, host and port) of the receiver.
  ///   - isTarget: Returns whether a URL has the same origin as the receiver.
  package func secretOriginProblem(target: String, _ isTarget: (String) -> Bool) -> TransportError?
  {
    let home = secrets?.origin
    if let home, isTarget(home) { return nil }
    for (secret, place) in secretPlaces where !secret.origins.contains(where: isTarget) {
      let bound =
        home.map { "the secret is bound to \($0)" }
        ?? "the service has no base URL, and the secret names no origins"
      return TransportError(
        .secretOrigin,
        "\(secret.mask) in \(place) is not sent to \(target): \(bound) "
          + "(to send it there, set origins = { \"\(target)\" } in lull.secret)")
    }
    return nil
  }
}
