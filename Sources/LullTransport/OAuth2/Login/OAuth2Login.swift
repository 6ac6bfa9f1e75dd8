package import LullCore

/// How a person lets a client in, once, and what such a login is called.
package struct OAuth2Login: Sendable, Equatable {
  package enum Way: Sendable, Equatable {
    /// A short code is typed into a browser anywhere. (RFC 8628)
    case device(url: String)
    case code(Code)
  }

  /// A browser on this machine brings a code to a listener. (RFC 6749, section 4.1; RFC 7636; RFC 8252)
  package struct Code: Sendable, Equatable {
    package var authorizationURL: String
    /// Who has to have sent it; nil: that is not asked. (RFC 9207)
    package var issuer: String?
    /// Where the listener is; 0: on a free port.
    package var port: UInt16 = 0
    package var path = "/callback"

    package init(authorizationURL: String) {
      self.authorizationURL = authorizationURL
    }
  }

  package var way: Way
  /// Where tokens are given back; nil: nowhere. (RFC 7009)
  package var revocationURL: String?
  /// As its tokens' file is called.
  package var name: String
  /// What fetches it: `lull login shop`; nil: its program.
  package var command: String?

  package init(_ way: Way, name: String, command: String?) {
    self.way = way
    self.name = name
    self.command = command
  }

  /// Makes it that of an environment of an API file, as one types it. (ENV-08)
  mutating func enter(_ environment: String) {
    let parts = command?.split(separator: " --name ", maxSplits: 1)
    guard let word = parts?.first else { return }
    command = "\(word)@\(environment)" + (parts?.dropFirst().first.map { " --name \($0)" } ?? "")
  }

  /// What is said where there is no token, and none to get one with.
  func problem(isKnown: Bool) -> TransportError {
    OAuth2.failure(
      isKnown
        ? "the login '\(name)' has ended, and there is nothing to renew it with; \(remedy) again"
        : "there is no login '\(name)' yet; \(remedy)")
  }

  /// How to get one, as an errand.
  var remedy: String { command.map { "run '\($0)'" } ?? "call logIn(over:) of its Auth" }

  /// Whether it can name a file: nothing that leads elsewhere, nor hides.
  package static func isName(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy { byte in
      Character(Unicode.Scalar(byte)).isLetter && byte < 0x80
        || Character(Unicode.Scalar(byte)).isNumber && byte < 0x80 || "-_.".utf8.contains(byte)
    }
    return isPlain && !name.isEmpty && !name.hasPrefix(".") && !name.hasPrefix("-")
      && name.utf8.count <= 100
  }

  /// Whether it can be the path of a redirect.
  package static func isPath(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { byte in
      byte > 0x20 && byte < 0x7F && !"?#%\"\\<>".utf8.contains(byte)
    }
    return isPlain && text.hasPrefix("/")
  }

  /// Whether secrets may go there: over TLS, or no further than this machine. (RFC 8252, section 8.3)
  package static func isSafe(_ url: ResourceURL) -> Bool {
    switch url.scheme {
    case "https": return !url.host.isEmpty
    case "http": return isLoopback(url.host)
    default: return false
    }
  }

  private static func isLoopback(_ host: String) -> Bool {
    let name = (try? HostName.canonical(host.utf8)) ?? ""
    if name == "localhost" || name == "[::1]" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

extension OAuth2.Settings {
  /// nil of what needs nobody.
  package var login: OAuth2Login? {
    if case .login(let login) = grant { login } else { nil }
  }
}
