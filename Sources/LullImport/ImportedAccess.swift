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
