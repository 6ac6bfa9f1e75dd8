/// Writes the statements that configure credentials. They name the source of the credentials, never
/// their values.
struct AccessWriter {
  private let api: ImportedAPI
  private let layout = LuaLayout()
  /// Credentials that several statements use. They are created once as local variables, so that the
  /// statements share their tokens.
  private let shared: [ImportedAccess.Way]
  private let numbers: [ImportedAccess.Way: Int]

  init(_ api: ImportedAPI) {
    self.api = api
    let ways = ([api.access] + api.exceptions.map(\.access)).compactMap(\.way)
    var counts: [ImportedAccess.Way: Int] = [:]
    for way in ways { counts[way, default: 0] += 1 }
    var seen: Set<ImportedAccess.Way> = []
    shared = ways.filter { counts[$0, default: 0] > 1 && seen.insert($0).inserted }
    numbers = Dictionary(uniqueKeysWithValues: zip(shared, shared.indices))
  }

  var locals: String {
    let text = shared.enumerated().map { number, way in
      let start = "local \(AccessWriter.name(number)) = "
      let value = layout.text(AccessWriter.literal(way), indent: 0, column: start.count, behind: 0)
      return start + value + "\n"
    }.joined()
    return text.isEmpty ? "" : text + "\n"
  }

  var statements: String {
    var text = ""
    if !api.access.variables.isEmpty { text += "\n" + statement(api.access, pattern: nil, []) }
    for exception in api.exceptions {
      text += "\n" + statement(exception.access, pattern: exception.pattern, exception.methods)
    }
    // Unconditional statements that follow each other need no blank line between them.
    return text.replacing("}\n\napi:configure(", with: "}\napi:configure(")
      .replacing(")\n\napi:configure(", with: ")\napi:configure(")
  }

  private func statement(
    _ access: ImportedAccess, pattern: String?, _ methods: [String]
  ) -> String {
    var settings: [(key: String, value: LuaLiteral)] = []
    if let way = access.way {
      let number = numbers[way]
      settings.append(
        ("auth", number.map { .code(AccessWriter.name($0)) } ?? AccessWriter.literal(way)))
    } else if pattern != nil {
      settings.append(("auth", .bool(false)))
    }
    if !access.headers.isEmpty {
      settings.append(("headers", AccessWriter.headers(access.headers)))
    }
    var arguments: [LuaLiteral] = [.table(settings)]
    if let pattern { arguments.insert(.text(pattern), at: 0) }
    if !methods.isEmpty {
      arguments.append(.table([("methods", .list(methods.map { .text($0) }))]))
    }
    let indent = access.isOptional && !access.variables.isEmpty ? 2 : 0
    let call = layout.text(
      .call("api:configure", arguments), indent: indent, column: indent, behind: 0)
    guard indent > 0 else { return call + "\n" }
    let condition = access.variables.map { "lull.env(\(LuaLiteral.quoted($0)))" }
      .joined(separator: " and ")
    // If the variable is not set, these requests must not be sent with the API's credentials.
    let otherwise =
      pattern != nil && api.access.way != nil
      ? statement(ImportedAccess(), pattern: pattern, methods) : ""
    return "\(otherwise)if \(condition) then\n  \(call)\nend\n"
  }

  private static func name(_ number: Int) -> String { number == 0 ? "auth" : "auth\(number + 1)" }

  // MARK: Literals

  static func secret(_ variable: String) -> LuaLiteral {
    .call("lull.secret", [.table([("env", .text(variable))])])
  }

  static func headers(_ headers: [(name: String, value: ImportedText)]) -> LuaLiteral {
    .table(
      headers.map { header in
        switch header.value {
        case .nothing: (header.name, .bool(false))
        case .plain(let text): (header.name, .text(text))
        case .secret("", let variable): (header.name, secret(variable))
        case .secret(let prefix, let variable): (header.name, prefixed(prefix, variable))
        }
      })
  }

  private static func prefixed(_ prefix: String, _ variable: String) -> LuaLiteral {
    .code("\(LuaLiteral.quoted(prefix)) .. lull.secret{ env = \(LuaLiteral.quoted(variable)) }")
  }

  private static func literal(_ way: ImportedAccess.Way) -> LuaLiteral {
    switch way {
    case .bearer(let variable): .call("lull.auth.bearer", [secret(variable)])
    case .basic(let user, let password):
      .call("lull.auth.basic", [secret(user), secret(password)])
    case .digest(let user, let password):
      .call("lull.auth.digest", [secret(user), secret(password)])
    case .basicKey(let variable): .call("lull.auth.basic", [secret(variable), .text("")])
    case .cookies(let keys):
      .call(
        "lull.auth.header",
        [
          .text("Cookie"),
          .code(
            keys.enumerated().map { number, key in
              let start = number == 0 ? "" : "; "
              return
                "\(LuaLiteral.quoted("\(start)\(key.name)=")) .. lull.secret{ env = \(LuaLiteral.quoted(key.variable)) }"
            }.joined(separator: " .. ")),
        ])
    case .header(let name, let prefix, let variable):
      .call(
        "lull.auth.header",
        [.text(name), prefix.isEmpty ? secret(variable) : prefixed(prefix, variable)])
    case .query(let keys):
      .call("lull.auth.query", AccessWriter.arguments(for: keys))
    case .clientCredentials(let client):
      .call("lull.auth.oauth2_client_credentials", [.table(fields(of: client))])
    case .code(let client): .call("lull.auth.oauth2_code", [.table(fields(of: client))])
    case .device(let client): .call("lull.auth.oauth2_device", [.table(fields(of: client))])
    }
  }

  private static func arguments(for keys: [ImportedAccess.Key]) -> [LuaLiteral] {
    guard keys.count == 1, let key = keys.first else {
      return [.table(keys.map { ($0.name, secret($0.variable)) })]
    }
    return [.text(key.name), secret(key.variable)]
  }

  private static func fields(of client: ImportedAccess.OAuth2) -> [(key: String, value: LuaLiteral)]
  {
    var fields: [(key: String, value: LuaLiteral)] = []
    if let url = client.authorizationURL { fields.append(("authorization_url", .text(url))) }
    if let url = client.deviceURL { fields.append(("device_url", .text(url))) }
    fields.append(("token_url", .text(client.tokenURL)))
    fields.append(
      ("client_id", .code("lull.env(\(LuaLiteral.quoted(client.clientID))) or \"lull\"")))
    if let secret = client.clientSecret {
      fields.append(("client_secret", AccessWriter.secret(secret)))
    }
    if let scope = client.scope { fields.append(("scope", .text(scope))) }
    return fields
  }
}
