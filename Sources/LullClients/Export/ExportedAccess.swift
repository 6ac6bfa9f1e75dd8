package import LullCore

/// An access method of an API, without the credential itself.
package struct ExportedAccess: Hashable {
  package enum Way: Hashable {
    case bearer
    case basic
    case digest
    /// A header, cookie or query parameter that contains the credential, possibly after a prefix.
    case key(place: CallParameter.Place, name: String, prefix: String)
    case clientCredentials(tokenURL: String)
    case code(authorizationURL: String, tokenURL: String)
    /// A login with a code that the user types into a browser. (RFC 8628)
    case device(deviceURL: String, tokenURL: String)
    /// AWS signatures.
    case signature
  }

  package var way: Way
  /// The scopes to request from the authorization server.
  package var scopes: [String] = []
  /// The name and the source of the secret. nil if the file declares no secret.
  package var secret: Secret?
  /// Whether `lull login` fetches the credential.
  package var needsLogin = false

  package init(_ way: Way, secret: Secret? = nil, scopes: [String] = []) {
    self.way = way
    self.secret = secret
    self.scopes = scopes
  }

  /// The variable name of the secret: the name of its environment variable, or the name that the
  /// file gives the secret. nil if that name is not valid for a variable.
  package var variable: String? { secret.flatMap { SecretText($0).variable } }

  /// Words that may precede a credential in a header and are not part of it.
  private static let words: Set<String> = ["bearer", "basic", "token", "apikey", "key"]

  /// Creates the access method for a header that contains a secret.
  package init(header name: String, _ text: SecretText) {
    var prefix = ""
    if case .literal(let text)? = text.pieces.first, text.isEmpty == false { prefix = text }
    let secret = text.secrets.first
    let lower = name.lowercased()
    if lower == "authorization", prefix.lowercased() == "bearer " {
      self.init(.bearer, secret: secret)
    } else if lower == "authorization", prefix.lowercased() == "basic " {
      self.init(.basic, secret: secret)
    } else if lower == "cookie", prefix.hasSuffix("=") {
      let name = prefix.dropLast().split(separator: " ").last ?? ""
      self.init(.key(place: .cookie, name: String(name), prefix: ""), secret: secret)
    } else {
      self.init(.key(place: .header, name: name, prefix: prefix), secret: secret)
    }
  }

  /// Creates the access method for a header whose value is written in the file and is probably a
  /// credential. The value is not exported.
  package init(writtenHeader name: String, _ value: String) {
    let start = value.prefix { $0 != " " }
    let isWord = ExportedAccess.words.contains(start.lowercased()) && start.count < value.count
    self.init(header: name, SecretText(isWord ? start + " " : ""))
  }
}

extension SecretText {
  /// The name of the first secret in the text. nil if the name is not valid for a variable.
  package var variable: String? {
    guard let name = secrets.first?.name, let first = name.utf8.first else { return nil }
    let isName = name.utf8.allSatisfy { byte in
      Character(Unicode.Scalar(byte)).isASCII
        && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
        || byte == UInt8(ascii: "_")
    }
    return isName && !(0x30...0x39).contains(first) ? name : nil
  }
}
