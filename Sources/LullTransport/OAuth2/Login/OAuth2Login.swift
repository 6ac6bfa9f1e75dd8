package import LullCore

/// The way in which a user authorises a client once, and the name of that login.
package struct OAuth2Login: Sendable, Equatable {
  package enum Way: Sendable, Equatable {
    /// The user types a short code into a browser on any device. (RFC 8628)
    case device(url: String)
    case code(Code)
  }

  /// A browser on this machine delivers a code to a listener. (RFC 6749, section 4.1; RFC 7636; RFC
  /// 8252)
  package struct Code: Sendable, Equatable {
    package var authorizationURL: String
    /// The issuer that the response with the code must name; nil does not check it. (RFC 9207)
    package var issuer: String?
    /// The listener's port; 0 for any free port.
    package var port: UInt16 = 0
    package var path = "/callback"

    package init(authorizationURL: String) {
      self.authorizationURL = authorizationURL
    }
  }

  package var way: Way
  /// The endpoint that revokes tokens; nil for none. (RFC 7009)
  package var revocationURL: String?
  /// The name of the login, and of its token file.
  package var name: String
  /// The command that logs in, such as `lull login shop`; nil if the program itself logs in.
  package var command: String?

  package init(_ way: Way, name: String, command: String?) {
    self.way = way
    self.name = name
    self.command = command
  }

  /// Changes `command` to the command that a user types to log in to an environment of an API file.
  /// (ENV-08)
  mutating func enter(_ environment: String) {
    let parts = command?.split(separator: " --name ", maxSplits: 1)
    guard let word = parts?.first else { return }
    command = "\(word)@\(environment)" + (parts?.dropFirst().first.map { " --name \($0)" } ?? "")
  }

  /// Returns the error for a request when there is no token and no way to renew the token.
  func problem(isKnown: Bool) -> TransportError {
    OAuth2.failure(
      isKnown
        ? "the login '\(name)' has expired and cannot be renewed; \(remedy) again"
        : "there is no login '\(name)' yet; \(remedy)")
  }

  /// What the user should do to log in.
  var remedy: String { command.map { "run '\($0)'" } ?? "call logIn(over:) of its Auth" }

  /// Whether the name is valid for a file: no path separators, and not hidden.
  package static func isName(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy { byte in
      Character(Unicode.Scalar(byte)).isLetter && byte < 0x80
        || Character(Unicode.Scalar(byte)).isNumber && byte < 0x80 || "-_.".utf8.contains(byte)
    }
    return isPlain && !name.isEmpty && !name.hasPrefix(".") && !name.hasPrefix("-")
      && name.utf8.count <= 100
  }

  /// Whether the text is valid as the path of a redirect.
  package static func isPath(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { byte in
      byte > 0x20 && byte < 0x7F && !"?#%\"\\<>".utf8.contains(byte)
    }
    return isPlain && text.hasPrefix("/")
  }

  /// Whether secrets may be sent to this URL: over TLS, or to this machine. (RFC 8252, section 8.3)
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
  /// The login, or nil for a grant without a user.
  package var login: OAuth2Login? {
    if case .login(let login) = grant { login } else { nil }
  }
}
