import LullCore

/// An API that was read from a document, a recording or a command line, ready to be written as an
/// API file. All values are plain, and texts from the source are never treated as code.
package struct ImportedAPI: Equatable, Sendable {
  /// The comment lines at the head of the file, without dashes. They name the source and the
  /// command of the import.
  package var origin: [String] = []
  package var description: String?
  package var baseURL: String
  /// The other servers in the document with their descriptions. They are written as comments.
  package var otherServers: [(url: String, description: String?)] = []
  /// The environments of the file, each with its name and its base URL.
  package var environments: [(name: String, baseURL: String)] = []
  package var headers: [(name: String, value: ImportedText)] = []
  package var access = ImportedAccess()
  /// The requests whose credentials differ from the credentials of the API. If several entries
  /// match, the last one applies.
  package var exceptions: [ImportedException] = []
  /// The name of the schema file next to the API file.
  package var schemas: String?
  /// The name of the GraphQL schema next to the API file.
  package var graphQL: String?
  package var calls: [ImportedCall] = []
  /// The parts of the document that can't be called, in the order of the document.
  package var leftOut: [LeftOut] = []
  /// Notes on parts of the document that may have been misunderstood.
  package var notes: [String] = []

  package init(baseURL: String) { self.baseURL = baseURL }

  /// The port that the environment `mock` uses.
  package static let mockPort = 8080

  /// Adds the environment `mock`. It refers to `lull mock --port 8080`, which serves the calls
  /// below the same path.
  package mutating func addMock() {
    guard !environments.contains(where: { $0.name == "mock" }) else { return }
    let rest = baseURL.firstRange(of: "://").map { baseURL[$0.upperBound...] } ?? ""
    var path = rest.drop { $0 != "/" }.prefix { !"?#".contains($0) }
    if path.hasSuffix("/") { path = path.dropLast() }
    environments.append(("mock", "http://localhost:\(ImportedAPI.mockPort)\(path)"))
  }

  /// A part of the source that has no call in the file.
  package struct LeftOut: Equatable, Sendable {
    /// The name of the part as in the source, such as `GET /users/{id}`.
    package var what: String
    package var reason: String

    package init(what: String, reason: String) {
      self.what = what
      self.reason = reason
    }
  }

  package static func == (left: ImportedAPI, right: ImportedAPI) -> Bool {
    left.origin == right.origin && left.description == right.description
      && left.baseURL == right.baseURL && left.access == right.access
      && left.exceptions == right.exceptions && left.schemas == right.schemas
      && left.graphQL == right.graphQL
      && left.calls == right.calls && left.leftOut == right.leftOut && left.notes == right.notes
      && left.otherServers.elementsEqual(right.otherServers, by: ==)
      && left.environments.elementsEqual(right.environments, by: ==)
      && left.headers.elementsEqual(right.headers, by: ==)
  }
}

/// The value of a header. If it is a credential, it comes from an environment variable.
package enum ImportedText: Equatable, Sendable {
  /// The header is not sent, although it would be by default.
  case nothing
  case plain(String)
  /// A credential. The values are the text before the credential, and the environment variable that
  /// contains it.
  case secret(prefix: String, variable: String)
}

/// The credentials of a request. The environment variables named here contain them.
package struct ImportedAccess: Equatable, Sendable {
  package enum Way: Hashable, Sendable {
    case bearer(variable: String)
    case basic(user: String, password: String)
    case digest(user: String, password: String)
    /// HTTP Basic with a key as the user name and without a password.
    case basicKey(variable: String)
    case header(name: String, prefix: String, variable: String)
    /// Keys in query parameters, sorted by name.
    case query([Key])
    /// Keys in cookies, all in one header, sorted by name.
    case cookies([Key])
    case clientCredentials(OAuth2)
    case code(OAuth2)
    /// A login with a code that the user types into a browser. (RFC 8628)
    case device(OAuth2)
  }

  /// A parameter or cookie, and the environment variable that contains its value.
  package struct Key: Hashable, Sendable {
    package var name: String
    package var variable: String

    package init(name: String, variable: String) {
      self.name = name
      self.variable = variable
    }
  }

  /// The client of an OAuth 2 token endpoint.
  package struct OAuth2: Hashable, Sendable {
    package var tokenURL: String
    package var authorizationURL: String?
    package var deviceURL: String?
    package var clientID: String
    package var clientSecret: String?
    package var scope: String?

    package init(
      tokenURL: String, authorizationURL: String? = nil, deviceURL: String? = nil,
      clientID: String, clientSecret: String? = nil, scope: String? = nil
    ) {
      self.tokenURL = tokenURL
      self.authorizationURL = authorizationURL
      self.deviceURL = deviceURL
      self.clientID = clientID
      self.clientSecret = clientSecret
      self.scope = scope
    }
  }

  /// How the credentials are sent. `nil` if none are needed.
  package var way: Way?
  /// Additional headers with credentials, if the request has several.
  package var headers: [(name: String, value: ImportedText)] = []
  /// Whether the credentials are sent only if the environment variables are set.
  package var isOptional = false

  package init(_ way: Way? = nil, isOptional: Bool = false) {
    self.way = way
    self.isOptional = isOptional
  }

  package static func == (left: ImportedAccess, right: ImportedAccess) -> Bool {
    left.way == right.way && left.isOptional == right.isOptional
      && left.headers.elementsEqual(right.headers, by: ==)
  }

  /// The environment variables that must be set for the credentials to be sent.
  var variables: [String] {
    var names: [String] =
      switch way {
      case .bearer(let variable), .basicKey(let variable), .header(_, _, let variable): [variable]
      case .basic(let user, let password), .digest(let user, let password): [user, password]
      case .query(let keys), .cookies(let keys): keys.map(\.variable)
      case .clientCredentials(let client), .code(let client), .device(let client):
        [client.clientID] + (client.clientSecret.map { [$0] } ?? [])
      case nil: []
      }
    for case (_, .secret(_, let variable)) in headers { names.append(variable) }
    return names
  }
}

/// The requests whose credentials differ from the credentials of the API.
package struct ImportedException: Equatable, Sendable {
  /// The path pattern of the `configure` entry.
  package var pattern: String
  /// The methods of the requests. Empty: all methods.
  package var methods: [String]
  package var access: ImportedAccess

  package init(pattern: String, methods: [String], access: ImportedAccess) {
    self.pattern = pattern
    self.methods = methods
    self.access = access
  }
}

/// The lines at the head of an imported file. The import can be repeated from them.
package struct ImportOrigin {
  /// The arguments after `lull import`, without any credentials.
  package var words: [String]
  package var only: [String]
  /// The credentials that the import needs. They are written as the environment variables from
  /// which the API file reads them.
  package var access: ImportedAccess

  private static let start = "-- Imported by: lull import "
  private static let mark = "Only: "

  package init(words: [String], only: [String], access: ImportedAccess = ImportedAccess()) {
    self.words = words
    self.only = only
    self.access = access
  }

  package var lines: [String] {
    [
      "Imported by: lull import "
        + (words.map(ImportOrigin.quoted) + accessWords).joined(separator: " ")
    ]
      + only.map { ImportOrigin.mark + $0 }
      + ["Changes made in this file are kept when the API is imported again."]
  }

  /// The options `-H` and `-a` with the credentials, for a shell.
  private var accessWords: [String] {
    var headers = access.headers.map { (name: $0.name, value: $0.value) }
    var words: [String] = []
    switch access.way {
    case .bearer(let variable)?:
      headers.insert(("Authorization", .secret(prefix: "Bearer ", variable: variable)), at: 0)
    case .header(let name, let prefix, let variable)?:
      headers.insert((name, .secret(prefix: prefix, variable: variable)), at: 0)
    case .basic(let user, let password)?: words = ["-a", "\"$\(user):$\(password)\""]
    case .digest(let user, let password)?:
      words = ["-A", "digest", "-a", "\"$\(user):$\(password)\""]
    case .basicKey(let variable)?: words = ["-a", "\"$\(variable):\""]
    case .query?, .cookies?, .clientCredentials?, .code?, .device?, nil: break
    }
    for case (let name, .secret(let prefix, let variable)) in headers {
      // In double quotes, some characters have a meaning.
      let text = "\(name): \(prefix)".map { "\"\\$`".contains($0) ? "\\\($0)" : String($0) }
      words += ["-H", "\"\(text.joined())$\(variable)\""]
    }
    return words
  }

  /// Returns the kind of source that a file was imported from, according to the comments at its
  /// head. `nil` if the file was not imported.
  package static func kind(in file: [UInt8]) -> String? {
    let line = file.prefix { $0 != 10 }
    guard line.starts(with: start.utf8) else { return nil }
    let word = line.dropFirst(start.utf8.count).prefix { $0 != 32 && $0 != 13 }
    return String(decoding: word, as: UTF8.self)
  }

  /// Returns whether a file was imported with `--with-mock`, according to the comments at its head.
  package static func hasMock(in file: [UInt8]) -> Bool {
    lines(of: file).first.map { $0.split(separator: " ").contains("--with-mock") } ?? false
  }

  /// Returns the patterns of `--only` that a file was imported with, according to the comments at
  /// its head.
  package static func only(in file: [UInt8]) -> [String] {
    lines(of: file).filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
  }

  /// Returns the comment lines at the head of a file, without dashes.
  private static func lines(of file: [UInt8]) -> [String] {
    var lines: [String] = []
    // Git may have converted the line ends.
    for line in String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline) {
      guard line.hasPrefix("-- ") else { break }
      if line.hasPrefix("--   "), let last = lines.popLast() {
        // The line continues the previous one.
        lines.append(last + " " + line.dropFirst(5))
      } else {
        lines.append(String(line.dropFirst(3)))
      }
    }
    return lines
  }

  /// Quotes a word for a shell.
  private static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "-_./:=@%+,".unicodeScalars.contains(scalar)
      }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
