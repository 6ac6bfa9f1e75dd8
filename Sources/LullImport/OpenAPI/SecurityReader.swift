import LullCore

/// What a document says of who may ask: schemes, by which credentials come from the environment.
struct SecurityReader {
  let document: OpenAPIDocument
  /// What variables are called after.
  let prefix: String
  /// The servers' origin, to which tokens go.
  let base: String

  /// What an operation or the document wants.
  struct Wanted: Equatable {
    var access = ImportedAccess()
    /// Parameters of the query beside another access.
    var query: [ImportedAccess.Key] = []
    /// Those of one header.
    var cookies: [ImportedAccess.Key] = []
    /// What could not be made of it.
    var problem: String?
  }

  /// All scopes that something wants of a scheme: one client has them all.
  private let scopes: [String: [String]]

  init(document: OpenAPIDocument, prefix: String, base: String) {
    self.document = document
    self.prefix = prefix
    self.base = base
    var lists = [document.root["security"]]
    for (_, item) in document.root["paths"]?.pairs ?? [] {
      lists += item.pairs.map { $0.value["security"] }
    }
    var scopes: [String: [String]] = [:]
    var seen: Set<[String]> = []
    for alternative in lists.compactMap(\.self).flatMap(\.elements) {
      for (name, list) in alternative.pairs {
        for scope in list.elements.compactMap(\.element.string)
        where seen.insert([name, scope]).inserted {
          scopes[name, default: []].append(scope)
        }
      }
    }
    self.scopes = scopes
  }

  func wanted(_ list: ImportNode?) -> Wanted {
    let alternatives = list?.elements ?? []
    guard !alternatives.isEmpty else { return Wanted() }
    let isOptional = alternatives.contains { $0.pairs.isEmpty }
    var problem: String?
    var found: [Wanted] = []
    for alternative in alternatives where !alternative.pairs.isEmpty {
      var wanted = wanted(allOf: alternative)
      wanted.access.isOptional = isOptional
      if wanted.problem == nil { found.append(wanted) } else { problem = problem ?? wanted.problem }
    }
    // The one that asks least of people; of several the first.
    if let least = found.map({ SecurityReader.effort($0.access.way) }).min() {
      return found.first { SecurityReader.effort($0.access.way) == least } ?? Wanted()
    }
    var wanted = Wanted()
    if !isOptional { wanted.problem = problem }
    return wanted
  }

  private static func isToken(_ way: ImportedAccess.Way) -> Bool {
    switch way {
    case .bearer, .code, .clientCredentials: true
    default: false
    }
  }

  private static func effort(_ way: ImportedAccess.Way?) -> Int {
    switch way {
    case .code: 3
    case .clientCredentials: 2
    // A user and a password, of which APIs with keys want one to be empty.
    case .basic, .digest: 1
    default: 0
    }
  }

  private func wanted(allOf schemes: ImportNode) -> Wanted {
    var wanted = Wanted()
    for (name, _) in schemes.pairs {
      guard let scheme = document.target(of: document.root["components"]?["securitySchemes"]?[name])
      else {
        wanted.problem = "the security scheme '\(ShortText.comment(name))' is not in the document"
        return wanted
      }
      take(scheme, name, &wanted)
      if wanted.problem != nil { return wanted }
    }
    let cookies = wanted.cookies.sorted { $0.name < $1.name }
    wanted.cookies = []
    if cookies.count == 1 {
      add(
        .header(name: "Cookie", prefix: cookies[0].name + "=", variable: cookies[0].variable),
        &wanted)
    } else if cookies.count > 1 {
      add(.cookies(cookies), &wanted)
    }
    if wanted.access.way == nil, !wanted.query.isEmpty {
      wanted.access.way = .query(wanted.query.sorted { $0.name < $1.name })
      wanted.query = []
    }
    return wanted
  }

  private func take(
    _ scheme: ImportNode, _ name: String, _ wanted: inout Wanted
  ) {
    let called = scheme.string("name") ?? ""
    switch scheme.string("type") {
    case "apiKey" where called.isEmpty:
      wanted.problem =
        "the security scheme '\(ShortText.comment(name))' does not say what its key is called"
    case "apiKey":
      let variable = self.variable(name, "KEY", among: ["apiKey"])
      switch scheme.string("in") {
      case "query": wanted.query.append(.init(name: called, variable: variable))
      case "cookie": wanted.cookies.append(.init(name: called, variable: variable))
      default: add(.header(name: called, prefix: "", variable: variable), &wanted)
      }
    case "http":
      switch scheme.string("scheme")?.lowercased() {
      case "basic":
        add(
          .basic(
            user: variable(name, "USER", among: ["http"]),
            password: variable(name, "PASSWORD", among: ["http"])), &wanted)
      case "digest":
        add(
          .digest(
            user: variable(name, "USER", among: ["http"]),
            password: variable(name, "PASSWORD", among: ["http"])), &wanted)
      case "bearer", nil:
        add(
          .bearer(variable: variable(name, "TOKEN", among: ["http", "oauth2", "openIdConnect"])),
          &wanted)
      case let other?:
        let text = ShortText.comment(String(other.prefix(40)))
        wanted.problem =
          "the security scheme '\(ShortText.comment(name))' is HTTP's '\(text)', which is not known"
      }
    case "oauth2": add(flow(scheme, name), &wanted)
    case "openIdConnect":
      add(
        .bearer(variable: variable(name, "TOKEN", among: ["http", "oauth2", "openIdConnect"])),
        &wanted)
    case "mutualTLS":
      wanted.problem =
        "the security scheme '\(ShortText.comment(name))' wants a certificate: set client_cert and client_key"
    default:
      wanted.problem = "the security scheme '\(ShortText.comment(name))' is of no known type"
    }
  }

  private func add(_ way: ImportedAccess.Way, _ wanted: inout Wanted) {
    guard let first = wanted.access.way else {
      wanted.access.way = way
      return
    }
    // Two schemes of tokens are one token by two flows, such as the implicit one and that by a code.
    if SecurityReader.isToken(first), SecurityReader.isToken(way) {
      if case .bearer = first { wanted.access.way = way }
      return
    }
    guard case .header(let name, let prefix, let variable) = way else {
      if case .header(let name, let prefix, let variable)? = wanted.access.way {
        wanted.access.headers.append((name, .secret(prefix: prefix, variable: variable)))
        wanted.access.way = way
      } else {
        wanted.problem = "two ways of access at once are wanted"
      }
      return
    }
    wanted.access.headers.append((name, .secret(prefix: prefix, variable: variable)))
  }

  private func flow(_ scheme: ImportNode, _ name: String) -> ImportedAccess.Way {
    // So many are not for one program.
    let all = scopes[name] ?? []
    let scope = all.isEmpty || all.count > 20 ? nil : all.joined(separator: " ")
    if let flow = scheme["flows"]?["clientCredentials"], let url = secure(flow.string("tokenUrl")) {
      return .clientCredentials(
        .init(
          tokenURL: url, clientID: variable(name, "CLIENT_ID", among: ["oauth2"]),
          clientSecret: variable(name, "CLIENT_SECRET", among: ["oauth2"]), scope: scope))
    }
    if let flow = scheme["flows"]?["authorizationCode"], let url = secure(flow.string("tokenUrl")),
      let authorization = secure(flow.string("authorizationUrl"))
    {
      return .code(
        .init(
          tokenURL: url, authorizationURL: authorization,
          clientID: variable(name, "CLIENT_ID", among: ["oauth2"]), scope: scope))
    }
    // Tokens of the other flows come from elsewhere.
    return .bearer(variable: variable(name, "TOKEN", among: ["http", "oauth2", "openIdConnect"]))
  }

  private func secure(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    let base = ResourceURL.base(self.base)
    guard let url = base?.relative(text), url.scheme == "https", !url.authority.contains("@") else {
      return nil
    }
    return url.text
  }

  /// Called after the scheme too, where there are several that would be called the same.
  private func variable(_ scheme: String, _ what: String, among types: Set<String>) -> String {
    let all = document.root["components"]?["securitySchemes"]?.pairs ?? []
    let alike = all.filter { types.contains($0.value.string("type") ?? "") }
    guard alike.count > 1 else { return "\(prefix)_\(what)" }
    let name = SecurityReader.variableName(scheme)
    return name.hasSuffix(what) ? "\(prefix)_\(name)" : "\(prefix)_\(name)_\(what)"
  }

  /// In capitals, with `_` for what a variable cannot have.
  static func variableName(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(60) {
      if scalar.isASCII, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) {
        result += String(scalar).uppercased()
      } else if !result.hasSuffix("_"), !result.isEmpty {
        result += "_"
      }
    }
    while result.hasSuffix("_") { result.removeLast() }
    guard let first = result.first, !first.isNumber else {
      return "API" + (result.isEmpty ? "" : "_" + result)
    }
    return result
  }
}
