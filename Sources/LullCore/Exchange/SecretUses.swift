/// Which secrets a request carries beside those of its headers, and where they may go.
///
/// Immutable; nil in a request without secrets. The URL and body of such a request are masked, and
/// what is meant stands here. It counts only while they are as it says: a mutation that puts another
/// URL or body in their place has put the secret out.
public final class SecretUses: Sendable, Equatable {
  /// Scheme, host and port of the service whose request it is; nil if the service has no base URL.
  package let origin: String?
  package let url: SecretTemplate?
  package let body: SecretTemplate?
  /// Made of the whole request when it goes out; nil if nothing is.
  package let signature: (any RequestSignature)?
  /// The parameters of the URL's query that are credentials of the configuration, and none of the resource's.
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

  /// What the URL means, if secrets stand in it.
  package var secretURL: SecretTemplate? {
    guard let template = secrets?.url, url.utf8.elementsEqual(template.masked) else { return nil }
    return template
  }

  /// The URL without the parameters of its query that are secrets; nil if none is.
  package var urlWithoutSecrets: String? {
    secretURL?.withoutParameters { _ in true }.maskedText
  }

  /// A URL that has answered as people are told it: without the credentials that were put into the query, which a
  /// redirect may have kept. (QRY-03)
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

  /// What the body means, if secrets stand in it.
  package var secretBody: SecretTemplate? {
    guard let template = secrets?.body, let body, body == template.masked else { return nil }
    return template
  }

  /// Has it signed by everything that is sent, the header showing `mask` until then; fails if a secret of
  /// the signature is not meant for where it goes.
  package mutating func sign(
    by signature: any RequestSignature, header: String, mask: String
  ) throws(TransportError) {
    headers[header] = mask
    secrets = SecretUses(
      origin: secrets?.origin, url: secrets?.url, body: secrets?.body, signature: signature,
      credentialNames: secrets?.credentialNames ?? [])
    if let problem = secretOriginProblem { throw problem }
  }

  /// Puts `rest` behind the URL; secrets in it stay where they are.
  package mutating func appendToURL(_ rest: String) {
    if var template = secretURL {
      template.append(rest.utf8)
      secrets = SecretUses(origin: secrets?.origin, url: template, body: secrets?.body)
    }
    url += rest
  }

  /// The secrets of a body that is read while it is sent.
  private var streamedSecrets: [SecretText] {
    if case .streamed(let body)? = payload { body.secretTexts } else { [] }
  }

  /// Whether a secret stands in the body, whichever kind that is.
  package var hasSecretsInBody: Bool { secretBody != nil || !streamedSecrets.isEmpty }

  /// Whether anything that is sent is a secret.
  package var hasSecrets: Bool {
    headers.hasSecrets || secretURL != nil || hasSecretsInBody || secrets?.signature != nil
  }

  /// Every secret it would send or sign with and where, in order: URL, headers, body, signature.
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

  /// Where those stand that are not sent themselves.
  package static let signaturePlace = "its signature"

  /// Every text with secrets in it that it would send, or sign with.
  package var secretTexts: [SecretText] {
    (secretURL?.texts ?? []) + headers.secretValues.map(\.text) + (secretBody?.texts ?? [])
      + streamedSecrets + (secrets?.signature?.secrets ?? [])
  }

  /// Why it must not go where its URL leads; nil if it may.
  package var secretOriginProblem: TransportError? {
    let target = origin
    return secretOriginProblem(target: target) { ResourceURL(absolute: $0)?.origin == target }
  }

  /// Why it must not go out: a secret would reach an origin it is not bound to. nil if it may.
  ///
  /// - Parameters:
  ///   - target: scheme, host and port the request goes to.
  ///   - isTarget: whether a URL goes there too.
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
          + "(origins = { \"\(target)\" } of lull.secret would allow it)")
    }
    return nil
  }
}
