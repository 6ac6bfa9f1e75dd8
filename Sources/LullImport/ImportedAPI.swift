import LullCore

/// An API as a document, a recording or a command line describes it, ready to be written as an API file: plain
/// values, in which every text is one of somebody else's and none is code.
package struct ImportedAPI: Equatable, Sendable {
  /// Lines of the comment at the head, without dashes: what it was made of, and by which command.
  package var origin: [String] = []
  package var description: String?
  package var baseURL: String
  /// Other servers that the document names, with what it says of them, which stay comments.
  package var otherServers: [(url: String, description: String?)] = []
  /// By name, which an environment of the file has.
  package var environments: [(name: String, baseURL: String)] = []
  package var headers: [(name: String, value: ImportedText)] = []
  package var access = ImportedAccess()
  /// Where something else holds than for the rest; the last that matches counts.
  package var exceptions: [ImportedException] = []
  /// The name of the file of schemas beside the API file.
  package var schemas: String?
  package var calls: [ImportedCall] = []
  /// What cannot be called, in the order of the document.
  package var leftOut: [LeftOut] = []
  /// What was understood in another way than the document may mean it.
  package var notes: [String] = []

  package init(baseURL: String) { self.baseURL = baseURL }

  /// The port of the environment `mock`.
  package static let mockPort = 8080

  /// Adds the environment `mock`, that of `lull mock --port 8080`, which serves calls below the same
  /// path.
  package mutating func addMock() {
    guard !environments.contains(where: { $0.name == "mock" }) else { return }
    let rest = baseURL.firstRange(of: "://").map { baseURL[$0.upperBound...] } ?? ""
    var path = rest.drop { $0 != "/" }.prefix { !"?#".contains($0) }
    if path.hasSuffix("/") { path = path.dropLast() }
    environments.append(("mock", "http://localhost:\(ImportedAPI.mockPort)\(path)"))
  }

  /// Something that has no call in the file.
  package struct LeftOut: Equatable, Sendable {
    /// As people find it in the document: `GET /users/{id}`.
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
      && left.calls == right.calls && left.leftOut == right.leftOut && left.notes == right.notes
      && left.otherServers.elementsEqual(right.otherServers, by: ==)
      && left.environments.elementsEqual(right.environments, by: ==)
      && left.headers.elementsEqual(right.headers, by: ==)
  }
}

/// A text, or one that the environment holds since it lets somebody in.
package enum ImportedText: Equatable, Sendable {
  /// Not sent, where it would be by itself.
  case nothing
  case plain(String)
  /// What stands before it, and the variable that it comes from.
  case secret(prefix: String, variable: String)
}

/// What proves who sends a request. Credentials are in the environment, by these names.
package struct ImportedAccess: Equatable, Sendable {
  package enum Way: Hashable, Sendable {
    case bearer(variable: String)
    case basic(user: String, password: String)
    case digest(user: String, password: String)
    /// A key in the place of the user, without a password.
    case basicKey(variable: String)
    case header(name: String, prefix: String, variable: String)
    /// Of parameters of the query, sorted by name.
    case query([Key])
    /// Several in one header, sorted by name.
    case cookies([Key])
    case clientCredentials(OAuth2)
    case code(OAuth2)
  }

  /// A parameter, and the variable that its value comes from.
  package struct Key: Hashable, Sendable {
    package var name: String
    package var variable: String

    package init(name: String, variable: String) {
      self.name = name
      self.variable = variable
    }
  }

  /// A client of a token endpoint.
  package struct OAuth2: Hashable, Sendable {
    package var tokenURL: String
    package var authorizationURL: String?
    package var clientID: String
    package var clientSecret: String?
    package var scope: String?

    package init(
      tokenURL: String, authorizationURL: String? = nil, clientID: String,
      clientSecret: String? = nil, scope: String? = nil
    ) {
      self.tokenURL = tokenURL
      self.authorizationURL = authorizationURL
      self.clientID = clientID
      self.clientSecret = clientSecret
      self.scope = scope
    }
  }

  /// nil: nothing is needed.
  package var way: Way?
  /// Headers with credentials beside it, where there are several.
  package var headers: [(name: String, value: ImportedText)] = []
  /// Whether it is sent only if the environment has it.
  package var isOptional = false

  package init(_ way: Way? = nil, isOptional: Bool = false) {
    self.way = way
    self.isOptional = isOptional
  }

  package static func == (left: ImportedAccess, right: ImportedAccess) -> Bool {
    left.way == right.way && left.isOptional == right.isOptional
      && left.headers.elementsEqual(right.headers, by: ==)
  }

  /// The variables without which there is nothing to send.
  var variables: [String] {
    var names: [String] =
      switch way {
      case .bearer(let variable), .basicKey(let variable), .header(_, _, let variable): [variable]
      case .basic(let user, let password), .digest(let user, let password): [user, password]
      case .query(let keys), .cookies(let keys): keys.map(\.variable)
      case .clientCredentials(let client), .code(let client):
        [client.clientID] + (client.clientSecret.map { [$0] } ?? [])
      case nil: []
      }
    for case (_, .secret(_, let variable)) in headers { names.append(variable) }
    return names
  }
}

/// Requests for which another access holds.
package struct ImportedException: Equatable, Sendable {
  /// As `configure` takes it.
  package var pattern: String
  /// Empty: all.
  package var methods: [String]
  package var access: ImportedAccess

  package init(pattern: String, methods: [String], access: ImportedAccess) {
    self.pattern = pattern
    self.methods = methods
    self.access = access
  }
}

/// The lines at the head of an imported file, by which a second import repeats the first.
package struct ImportOrigin {
  /// The words of the command behind `lull import`, without credentials.
  package var words: [String]
  package var only: [String]

  private static let start = "-- Imported by: lull import "
  private static let mark = "Only: "

  package init(words: [String], only: [String]) {
    self.words = words
    self.only = only
  }

  package var lines: [String] {
    ["Imported by: lull import " + words.map(ImportOrigin.quoted).joined(separator: " ")]
      + only.map { ImportOrigin.mark + $0 }
      + ["What is changed here stays when it is imported again."]
  }

  /// What a file says that was imported: of which kind of source; nil: nothing.
  package static func kind(in file: [UInt8]) -> String? {
    let line = file.prefix { $0 != 10 }
    guard line.starts(with: start.utf8) else { return nil }
    let word = line.dropFirst(start.utf8.count).prefix { $0 != 32 && $0 != 13 }
    return String(decoding: word, as: UTF8.self)
  }

  /// Whether a file was imported with `--with-mock`.
  package static func hasMock(in file: [UInt8]) -> Bool {
    lines(of: file).first.map { $0.split(separator: " ").contains("--with-mock") } ?? false
  }

  /// What a file says that was imported: the patterns of `--only`.
  package static func only(in file: [UInt8]) -> [String] {
    lines(of: file).filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
  }

  /// The comments at the head of a file, without dashes.
  private static func lines(of file: [UInt8]) -> [String] {
    var lines: [String] = []
    // Git may have given them the ends of other systems.
    for line in String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline) {
      guard line.hasPrefix("-- ") else { break }
      if line.hasPrefix("--   "), let last = lines.popLast() {
        // A long one goes on.
        lines.append(last + " " + line.dropFirst(5))
      } else {
        lines.append(String(line.dropFirst(3)))
      }
    }
    return lines
  }

  /// As a shell reads it.
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
