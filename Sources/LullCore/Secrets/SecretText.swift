/// A text that contains secrets, such as `Bearer ‹secret TOKEN›`.
public struct SecretText: Sendable, Hashable {
  package indirect enum Piece: Sendable, Hashable {
    case literal(String)
    case secret(Secret)
    /// The base64 encoding of another text, computed when its secrets are read.
    case base64(SecretText)
    /// Another text, escaped as a value in a form.
    case escaped(SecretText)
    case digest(SecretDigest)
  }

  package private(set) var pieces: [Piece]

  package init(_ pieces: [Piece]) {
    self.pieces = pieces
  }

  /// Creates a text that consists of one secret.
  public init(_ secret: Secret) {
    pieces = [.secret(secret)]
  }

  /// Creates a text from another text, escaped as a value in a form.
  package init(escaping text: SecretText) {
    pieces = [.escaped(text)]
  }

  /// Creates a text without secrets, for example to join it with a secret text.
  public init(_ literal: String) {
    pieces = [.literal(literal)]
  }

  /// Joins two texts. Secrets in both texts stay secret.
  public static func + (left: SecretText, right: SecretText) -> SecretText {
    SecretText(left.pieces + right.pieces)
  }

  /// The text with a mask in place of each secret. Only the transport sees the secrets.
  public var masked: String {
    pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .secret(let secret): secret.mask
      case .base64(let text): text.secrets.map(\.mask).joined()
      case .escaped(let text): text.masked
      case .digest(let digest): digest.texts.flatMap(\.secrets).map(\.mask).joined()
      }
    }.joined()
  }

  /// The secrets in the text, in order. A secret that is used twice is listed twice.
  package var secrets: [Secret] {
    pieces.flatMap { piece -> [Secret] in
      switch piece {
      case .literal: []
      case .secret(let secret): [secret]
      case .base64(let text), .escaped(let text): text.secrets
      case .digest(let digest): digest.texts.flatMap(\.secrets)
      }
    }
  }
}

/// Makes a text without secrets from a string literal: `.bearer("demo")`.
///
/// Use a `Secret` for anything that must not be visible in source code or logs. Logs show a literal
/// unless something else identifies it as a credential. String interpolation is deliberately not
/// supported, because it would insert the mask of a secret.
extension SecretText: ExpressibleByStringLiteral {
  public init(stringLiteral literal: String) { self.init(literal) }
}

extension SecretText: CustomStringConvertible {
  /// The masked text.
  public var description: String { masked }
}

extension SecretText {
  /// The cookies in this text, which is the value of a `Cookie` header. The name of a cookie is nil
  /// if the name may contain a secret.
  package var cookies: [(name: String?, text: SecretText)] {
    var parts: [[Piece]] = [[]]
    for piece in pieces {
      guard case .literal(let text) = piece else {
        parts[parts.count - 1].append(piece)
        continue
      }
      for (position, part) in text.split(separator: ";", omittingEmptySubsequences: false)
        .enumerated()
      {
        if position > 0 { parts.append([]) }
        let own = parts[parts.count - 1].isEmpty ? part.drop { $0 == " " } : part
        if !own.isEmpty { parts[parts.count - 1].append(.literal(String(own))) }
      }
    }
    return parts.filter { !$0.isEmpty }.map { pieces in
      var name: String?
      if case .literal(let text)? = pieces.first, let equals = text.firstIndex(of: "=") {
        name = String(text[..<equals])
      }
      return (name, SecretText(pieces))
    }
  }
}

/// The URL of a resource with secrets in its query parameters.
///
/// The resource's visible URL contains the unescaped masks of the secrets. Each mask contains a
/// space, so a URL that a user writes can't be equal to the visible URL.
package final class SecretURL: Sendable, Equatable {
  /// The URL with each mask escaped like any other query value.
  let escaped: ResourceURL
  /// The query values that contain secrets, by parameter name.
  let values: [String: SecretText]
  let template: SecretTemplate

  /// Creates the URL. Returns nil if no value contains a secret.
  init?(escaped: ResourceURL, values: [String: SecretText]) {
    guard !values.isEmpty else { return nil }
    self.escaped = escaped
    self.values = values
    template = SecretURL.template(escaped, values)
  }

  /// The visible URL of the resource, with unescaped masks.
  var masked: ResourceURL { ResourceURL(unchecked: template.maskedText) }

  package static func == (left: SecretURL, right: SecretURL) -> Bool {
    left === right || left.escaped == right.escaped && left.values == right.values
  }

  private static func template(_ url: ResourceURL, _ values: [String: SecretText])
    -> SecretTemplate
  {
    var template = SecretTemplate()
    let text = url.percentEncoded.utf8
    guard let mark = text.firstIndex(of: UInt8(ascii: "?")) else {
      template.append(text)
      return template
    }
    let texts = Dictionary(
      values.map { (SecretEscaping.parameter.escaped($0.key.utf8), $0.value) },
      uniquingKeysWith: { first, _ in first })
    let start = text.index(after: mark)
    let end = text[start...].firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
    template.append(text[..<start])
    var isFirst = true
    for pair in text[start..<end].split(
      separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    {
      if !isFirst { template.append(CollectionOfOne(UInt8(ascii: "&"))) }
      isFirst = false
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      if let value = texts[Array(pair[..<equals])] {
        template.append(pair[..<equals])
        template.append(CollectionOfOne(UInt8(ascii: "=")))
        template.append(value, .parameter)
      } else {
        template.append(pair)
      }
    }
    template.append(text[end...])
    return template
  }
}

/// The value of a query parameter, with or without secrets.
package enum ParameterValue {
  case text(String)
  case secret(SecretText)
}

/// A request body that contains secrets, masked until it is sent.
public struct SecretBody: Sendable {
  package let template: SecretTemplate
  package let contentType: String

  package init(_ template: SecretTemplate, contentType: String) {
    self.template = template
    self.contentType = contentType
  }

  /// Returns the body with another content type, or unchanged if `contentType` is nil.
  package func typed(_ contentType: String?) -> SecretBody {
    SecretBody(template, contentType: contentType ?? self.contentType)
  }

  /// Creates the body of a form. Names and values are escaped, and the pairs are sorted by their
  /// masked text.
  package init(form pairs: [(name: String, value: SecretText)]) {
    let sorted =
      pairs
      .map { (name: SecretEscaping.form.escaped($0.name.utf8), value: $0.value) }
      .map {
        ($0.name, $0.value, $0.name + [UInt8(ascii: "=")] + SecretEscaping.form.masked($0.value))
      }
      .sorted { $0.2.lexicographicallyPrecedes($1.2) }
    var template = SecretTemplate()
    for (index, (name, value, _)) in sorted.enumerated() {
      if index > 0 { template.append(CollectionOfOne(UInt8(ascii: "&"))) }
      template.append(name)
      template.append(CollectionOfOne(UInt8(ascii: "=")))
      template.append(value, .form)
    }
    self.init(template, contentType: "application/x-www-form-urlencoded")
  }
}
