import LullCore

/// Who asks, as a request says it: its credentials become variables of the environment, by their names.
struct SeenAccess {
  let access: ImportedAccess
  let notes: [String]

  /// Whether a header lets somebody in.
  static func isCredential(_ name: String, of request: SeenRequest) -> Bool {
    CredentialName.headers.contains(name.lowercased()) || request.isSecret(name)
  }

  init(_ request: SeenRequest, _ variables: VariableNames, hasShellBlanks: Bool) {
    var access = ImportedAccess()
    var notes: [String] = []
    func variable(_ name: String, _ value: some StringProtocol) -> String {
      guard let blank = Blank.name(value) else { return variables.variable(for: name) }
      return hasShellBlanks ? blank : variables.variable(for: blank)
    }
    func basic(_ text: String) -> ImportedAccess.Way {
      let user = text.prefix { $0 != ":" }
      let password = text.dropFirst(user.count + 1)
      if password.isEmpty, text.hasSuffix(":"), !request.isDigest {
        return .basicKey(variable: variable("key", user))
      }
      let names = (variable("user", user), variable("password", password))
      return request.isDigest
        ? .digest(user: names.0, password: names.1) : .basic(user: names.0, password: names.1)
    }
    if let user = request.user { access.way = basic(user) }
    for (name, value) in request.headers where SeenAccess.isCredential(name, of: request) {
      let lower = name.lowercased()
      // An empty one lets nobody in.
      if value.isEmpty || lower == "proxy-authorization" { continue }
      // No request can have it.
      if Headers.problem(name, "".utf8) != nil { continue }
      guard lower == "authorization" else {
        let given = hasShellBlanks ? Blank.atEnd(of: value) : nil
        let prefix = given?.before ?? ""
        let text = given?.name ?? variables.variable(for: name)
        if access.way == nil, lower != "cookie" {
          access.way = .header(name: name, prefix: prefix, variable: text)
        } else {
          access.headers.append((name, .secret(prefix: prefix, variable: text)))
        }
        continue
      }
      let words = value.split(separator: " ", maxSplits: 1)
      let scheme = words.count > 1 ? words[0].lowercased() : ""
      let rest = words.count > 1 ? String(words[1]) : value
      let way: ImportedAccess.Way
      switch scheme {
      case "bearer": way = .bearer(variable: variable("token", rest))
      case "basic":
        if let bytes = try? Base64.decode(Array(rest.utf8)),
          String(decoding: bytes, as: UTF8.self).contains(":")
        {
          way = basic(String(decoding: bytes, as: UTF8.self))
        } else {
          way = .header(name: "Authorization", prefix: "Basic ", variable: variable("basic", rest))
        }
      case "digest", "negotiate", "ntlm", "signature", "oauth", "aws4-hmac-sha256", "hawk":
        notes.append(
          "the header Authorization is made anew for each request by \(LogText.part(scheme, limit: 30)) and not kept "
            + "(lull.auth.digest, lull.auth.aws)")
        continue
      default:
        let prefix = scheme.isEmpty ? "" : "\(LogText.part(String(words[0]), limit: 30)) "
        way = .header(
          name: "Authorization", prefix: prefix,
          variable: variable("token", Blank.atEnd(of: rest).map { Blank.text($0.name) } ?? rest))
      }
      if let other = access.way, case .header(let name, let prefix, let variable) = other {
        access.headers.append((name, .secret(prefix: prefix, variable: variable)))
      }
      access.way = way
    }
    self.access = access
    self.notes = notes
  }
}
