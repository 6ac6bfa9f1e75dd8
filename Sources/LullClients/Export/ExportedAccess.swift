package import LullCore

/// What lets somebody in, by its way: never the credential itself.
package struct ExportedAccess: Hashable {
  package enum Way: Hashable {
    case bearer
    case basic
    case digest
    /// A header, cookie or parameter of the query that is the credential, behind a word of its own perhaps.
    case key(place: CallParameter.Place, name: String, prefix: String)
    case clientCredentials(tokenURL: String)
    case code(authorizationURL: String, tokenURL: String)
    /// Signatures of Amazon's.
    case signature
  }

  package var way: Way
  /// Of an authorization server, each by itself.
  package var scopes: [String] = []
  /// What the credential is called, which is the variable that it comes from unless the file names it; nil: it has
  /// no such name.
  package var variable: String?

  package init(_ way: Way, variable: String? = nil, scopes: [String] = []) {
    self.way = way
    self.variable = variable
    self.scopes = scopes
  }

  /// What stands before credentials, and is none.
  private static let words: Set<String> = ["bearer", "basic", "token", "apikey", "key"]

  /// A header with a credential in it.
  package init(header name: String, _ text: SecretText) {
    var prefix = ""
    if case .literal(let text)? = text.pieces.first, text.isEmpty == false { prefix = text }
    let variable = text.variable
    let lower = name.lowercased()
    if lower == "authorization", prefix.lowercased() == "bearer " {
      self.init(.bearer, variable: variable)
    } else if lower == "authorization", prefix.lowercased() == "basic " {
      self.init(.basic, variable: variable)
    } else if lower == "cookie", prefix.hasSuffix("=") {
      let name = prefix.dropLast().split(separator: " ").last ?? ""
      self.init(.key(place: .cookie, name: String(name), prefix: ""), variable: variable)
    } else {
      self.init(.key(place: .header, name: name, prefix: prefix), variable: variable)
    }
  }

  /// A header whose value is written in the file and is likely to be one: its value is left behind.
  package init(writtenHeader name: String, _ value: String) {
    let start = value.prefix { $0 != " " }
    let isWord = ExportedAccess.words.contains(start.lowercased()) && start.count < value.count
    self.init(header: name, SecretText(isWord ? start + " " : ""))
  }
}

extension SecretText {
  /// The name of the first secret in it, if a variable may be called so.
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
