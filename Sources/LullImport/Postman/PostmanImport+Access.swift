import LullCore

/// Who asks: by the collection, a folder or the request.
extension PostmanImport {
  /// What a way of access says, as a list of keys and values or as an object.
  private func detail(_ auth: JSONElement, _ type: String, _ key: String) -> String? {
    guard let details = auth[type] else { return nil }
    if details.kind == .object { return PostmanImport.text(details[key]) }
    return PostmanImport.elements(details).first { $0["key"]?.string == key }
      .flatMap { PostmanImport.text($0["value"]) }
  }

  mutating func take(auth: JSONElement?, _ request: inout SeenRequest) {
    guard let auth, let type = auth["type"]?.string else { return }
    func secret(_ key: String) -> String {
      variables.filled(detail(auth, type, key) ?? "", isSecret: true)
    }
    func hasHeader(_ name: String) -> Bool { request.header(name.lowercased()) != nil }
    switch type {
    case "noauth": break
    case "bearer":
      if !hasHeader("authorization") {
        request.headers.append(("Authorization", "Bearer \(secret("token"))"))
      }
    case "basic", "digest":
      request.user = "\(secret("username")):\(secret("password"))"
      request.isDigest = type == "digest"
    case "apikey":
      let name = variables.filled(detail(auth, type, "key") ?? "", isSecret: false)
      guard !name.isEmpty, !Blank.isIn(name) else {
        return note("a key whose name is not said is left out (apikey)")
      }
      request.secretNames.insert(name.lowercased())
      if detail(auth, type, "in") == "query" {
        if !request.query.contains(where: { $0.name == name }) {
          let variable = names.variable(for: Blank.name(secret("value")) ?? name)
          clients[requests.count] = ImportedAccess(.query([.init(name: name, variable: variable)]))
        }
      } else if !hasHeader(name) {
        request.headers.append((name, secret("value")))
      }
    case "oauth2":
      let token = plain(auth, "accessTokenUrl")
      let address = plain(auth, "authUrl")
      let grant = detail(auth, type, "grant_type") ?? ""
      let scope = plain(auth, "scope")
      guard let token, !token.isEmpty else {
        request.headers.append(("Authorization", "Bearer \(secret("accessToken"))"))
        return
      }
      var client = ImportedAccess.OAuth2(
        tokenURL: token, clientID: names.variable(for: "client_id"),
        clientSecret: names.variable(for: "client_secret"), scope: scope)
      if grant.hasPrefix("authorization_code"), let address, !address.isEmpty {
        client.authorizationURL = address
        if grant.hasSuffix("pkce") { client.clientSecret = nil }
        clients[requests.count] = ImportedAccess(.code(client))
      } else if grant == "client_credentials" || grant.isEmpty {
        clients[requests.count] = ImportedAccess(.clientCredentials(client))
      } else {
        note("OAuth 2 by '\(LogText.part(grant, limit: 30))' is not kept: its token is to be given")
        request.headers.append(("Authorization", "Bearer \(secret("accessToken"))"))
      }
    default:
      note("access of the type '\(LogText.part(type, limit: 30))' is not kept")
    }
  }

  /// nil if it is not said.
  private func plain(_ auth: JSONElement, _ key: String) -> String? {
    let text = detail(auth, "oauth2", key).map { variables.filledHost($0) }
    return text.flatMap { Blank.isIn($0) || $0.isEmpty ? nil : $0 }
  }
}
