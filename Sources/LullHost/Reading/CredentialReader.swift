import CLullBridge
import LullCore
import LullTransport

/// Reads secrets and other credentials in the arguments of scripts. Only the source of a secret is
/// read here. The text of the secret is read when a request is sent. A token is requested at that
/// time, too.
struct CredentialReader {
  static let secretKeys = ["env", "file", "command", "name", "origins"]

  private let handles: ObjectHandles
  let permissions: Permissions
  let options: OptionReader

  init(_ handles: ObjectHandles, _ permissions: Permissions, _ options: OptionReader) {
    self.handles = handles
    self.permissions = permissions
    self.options = options
  }

  // MARK: Secrets

  /// Reads the table of `lull.secret{ env = … }`, `lull.secret{ file = … }` or `lull.secret{
  /// command = … }`.
  ///
  /// - Parameter variables: variables that take precedence over those of the process environment.
  func secret(
    table: Int32, in state: OpaquePointer?, variables: FileVariables? = nil
  ) throws(Misuse) -> Secret {
    guard !permissions.isSandboxed || permissions.isInspecting else {
      throw .message("lull.secret is not available in the sandbox")
    }
    var source: Secret.Source?
    var name: String?
    var standardName: String?
    var origins: [String] = []
    try options.forEach(of: table, in: state, known: CredentialReader.secretKeys) {
      key, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: state)
      switch key {
      case "name": name = try value.nonEmptyText(key)
      case "origins": origins = try self.origins(value, index, state)
      default:
        guard source == nil else {
          throw .message("a secret must have one source: 'env', 'file' or 'command'")
        }
        source = try self.source(key, value, index, state)
        if case .environment(let name)? = source, let text = try variables?.secret(name) {
          (source, standardName) = (.literal(text), name)
        }
      }
    }
    guard let source else {
      throw .message("a secret needs one of 'env', 'file', 'command'")
    }
    let secret = Secret(source, name: name ?? standardName, origins: origins)
    guard permissions.isInspecting else { return secret }
    // During an inspection, secrets are not read, even if the file's own networking function asks
    // for them.
    return Secret(
      standingFor: source, literal: Inspection.secret, name: secret.name, origins: origins)
  }

  private func source(
    _ key: String, _ value: lull_value, _ index: Int32, _ state: OpaquePointer?
  ) throws(Misuse) -> Secret.Source {
    switch key {
    case "env":
      let name = try value.nonEmptyText(key)
      guard !name.contains("=") else {
        throw .message("'env' must be the name of a variable, not its value")
      }
      return .environment(name)
    case "file": return .file(try value.nonEmptyText(key))
    default:
      guard value.kind == Int32(LULL_TABLE) else { return .shell(try value.nonEmptyText(key)) }
      let words = try strings(value, index, key, state)
      guard !words.isEmpty else { throw .message("'command' must not be an empty list") }
      return .command(words)
    }
  }

  private func strings(
    _ value: lull_value, _ index: Int32, _ key: String, _ state: OpaquePointer?
  ) throws(Misuse) -> [String] {
    var words: [(Int64, String)] = []
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'\(key)' must be a list of strings, got \(value.typeName)")
    }
    try LuaTable(index, in: state).forEachField { position, element throws(Misuse) in
      guard position.kind == Int32(LULL_INTEGER), let word = element.text,
        !word.utf8.contains(0)
      else { throw .message("'\(key)' must be a list of strings") }
      try element.requireText("a string of '\(key)'")
      words.append((position.integer, word))
    }
    return words.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func origins(_ value: lull_value, _ index: Int32, _ state: OpaquePointer?) throws(Misuse)
    -> [String]
  {
    var origins: [String] = []
    for text in try strings(value, index, "origins", state) {
      guard let url = ResourceURL(absolute: text), ["http", "https"].contains(url.scheme),
        !url.host.isEmpty
      else {
        throw .message("'origins' must be URLs such as \"https://api.example.com\", got '\(text)'")
      }
      origins.append(url.origin)
    }
    return origins
  }

  // MARK: Credentials

  /// Reads an argument that is a credential: a secret, or a plain string.
  func credential(_ value: lull_value, argument position: Int) throws(Misuse) -> SecretText {
    if let text = handles.secret(value) { return text }
    guard let text = value.string, !text.isEmpty else {
      throw .argument(position, "Secret or string expected, got \(value.described)")
    }
    // The error message must not contain the value.
    guard value.isValidUTF8 else { throw .argument(position, "not valid UTF-8") }
    permissions.checker?.inspect(credential: text, "the secret of an 'auth'")
    return SecretText(Secret(.literal(text)))
  }

  /// Reads an argument that is a user name. A user name may be shown; a password may not.
  func user(_ value: lull_value, argument position: Int) throws(Misuse) -> SecretText {
    if let text = handles.secret(value) { return text }
    guard let text = value.string else {
      throw .argument(position, "string or Secret expected, got \(value.described)")
    }
    guard value.isValidUTF8 else {
      throw .argument(position, "not valid UTF-8: '\(LogText.part(text, limit: 100))'")
    }
    return SecretText(text)
  }

  /// Reads an option that is a credential: a secret, or a plain string.
  func credential(_ value: lull_value, option name: String) throws(Misuse) -> SecretText {
    if let text = handles.secret(value) { return text }
    guard let text = value.string, !text.isEmpty else {
      let given =
        value.kind == Int32(LULL_STRING) ? "an empty string" : value.typeName
      throw .message("'\(name)' must be a Secret or a string, got \(given)")
    }
    permissions.checker?.inspect(credential: text, "the value of '\(name)'")
    return SecretText(Secret(.literal(text)))
  }

  // MARK: Queries

  /// Reads the name of a query parameter.
  func queryName(_ value: lull_value) throws(Misuse) -> String {
    guard let name = value.string else {
      throw .argument(1, "string or table expected, got \(value.described)")
    }
    guard !name.isEmpty else { throw .argument(1, "the name of a parameter must not be empty") }
    try value.requireText("the name of a parameter")
    return name
  }

  /// Reads the parameters of `lull.auth.query{ app_id =, app_key = }`. They are sorted by name,
  /// because a Lua table has no order.
  func query(table: Int32, in state: OpaquePointer?) throws(Misuse) -> [(
    name: String, value: SecretText
  )] {
    var parameters: [(name: String, value: SecretText)] = []
    try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
      guard key.kind == Int32(LULL_STRING) else {
        throw .argument(
          1, "names of parameters and their values expected, got the key \(key.described)")
      }
      let name = try queryName(key)
      parameters.append((name, try credential(value, option: name)))
    }
    guard !parameters.isEmpty else { throw .argument(1, "a parameter expected, got none") }
    return parameters.sorted { $0.name < $1.name }
  }

  // MARK: OAuth 2

  /// Reads the table of a function such as `lull.auth.oauth2_code{…}`.
  func oauth2(table: Int32, in state: OpaquePointer?, _ kind: OAuth2Options.Kind) throws(Misuse)
    -> Auth
  {
    var given = OAuth2Options()
    try options.forEach(of: table, in: state, known: kind.keys) { name, value throws(Misuse) in
      switch name {
      case "client_secret": given.clientSecret = try credential(value, option: name)
      case OAuth2Options.refreshKey: given.refreshToken = try credential(value, option: name)
      case OAuth2LoginOptions.portKey:
        guard let number = value.double, let port = UInt16(exactly: number) else {
          throw .message("'port' must be a whole number from 0 to 65535, got \(value.described)")
        }
        given.port = port
      default: given.texts[name] = try value.nonEmptyText(name)
      }
    }
    // There is no file if the calling code was loaded from text or typed.
    let file = kind.isLogin ? SourcePlace.file(ofCaller: state) : nil
    let settings = try given.settings(kind, permissions, file: file)
    permissions.loginCoordinator?.note(settings)
    return OAuth2(settings, coordinator: permissions.loginCoordinator).auth
  }
}
