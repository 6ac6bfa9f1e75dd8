import LullCore

/// Reads the security schemes of a document. The credentials themselves come from environment
/// variables.
struct SecurityReader {
  let document: OpenAPIDocument
  /// The prefix of the environment variables' names.
  let prefix: String
  /// The origin of the servers, to which tokens are sent.
  let base: String

  /// The credentials that an operation or the whole document requires.
  struct Wanted: Equatable {
    var access = ImportedAccess()
    /// Keys in query parameters that are required in addition to other credentials.
    var query: [ImportedAccess.Key] = []
    /// Keys in cookies. All are sent in one header.
    var cookies: [ImportedAccess.Key] = []
    /// The reason why the required credentials are not supported.
    var problem: String?
    /// Whether one of the security schemes is deprecated.
    var isDeprecated = false
  }

  /// The scopes that operations require, keyed by the name of the scheme. One client requests all
  /// of them.
  private let scopes: [String: [String]]
  /// The names of the schemes that the document and its operations require.
  private let usedNames: Set<String>

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
    usedNames = Set(lists.compactMap(\.self).flatMap(\.elements).flatMap { $0.pairs.map(\.key) })
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
    // Choose the credentials with the least effort for users. If several are equal, choose the
    // first.
    let current = found.filter { !$0.isDeprecated }
    if !current.isEmpty { found = current }
    if let least = found.map({ SecurityReader.effort($0.access.way) }).min() {
      return found.first { SecurityReader.effort($0.access.way) == least } ?? Wanted()
    }
    var wanted = Wanted()
    if !isOptional { wanted.problem = problem }
    return wanted
  }

  private static func isToken(_ way: ImportedAccess.Way) -> Bool {
    switch way {
    case .bearer, .code, .device, .clientCredentials: true
    default: false
    }
  }

  private static func effort(_ way: ImportedAccess.Way?) -> Int {
    switch way {
    case .code, .device: 3
    case .clientCredentials: 2
    // These need a user name and a password. APIs with keys often leave one of them empty.
    case .basic, .digest: 1
    default: 0
    }
  }

  private func wanted(allOf schemes: ImportNode) -> Wanted {
    var wanted = Wanted()
    for (name, _) in schemes.pairs {
      guard let scheme = scheme(name) else {
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

  /// Returns the security scheme with a name. Since OpenAPI 3.2, the name may be a URI.
  private func scheme(_ name: String) -> ImportNode? {
    if let declared = document.root["components"]?["securitySchemes"]?[name] {
      return document.target(of: declared)
    }
    guard document.version >= .v32, name.contains(where: { "/#.".contains($0) }) else { return nil }
    let found = try? document.set.node(name, from: document.root.document)
    return document.target(of: found)
  }

  private func take(
    _ scheme: ImportNode, _ name: String, _ wanted: inout Wanted
  ) {
    let called = scheme.string("name") ?? ""
    if scheme.bool("deprecated") == true { wanted.isDeprecated = true }
    switch scheme.string("type") {
    case "apiKey" where called.isEmpty:
      wanted.problem =
        "the security scheme '\(ShortText.comment(name))' does not name its key"
    case "apiKey" where scheme.string("in") != "query" && !Headers.isName(called):
      wanted.problem =
        "the security scheme '\(ShortText.comment(name))' has a key whose name is not valid in a "
        + "header"
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
          "the security scheme '\(ShortText.comment(name))' is HTTP '\(text)', which is not "
          + "supported"
      }
    case "oauth2": add(flow(scheme, name), &wanted)
    case "openIdConnect":
      add(
        .bearer(variable: variable(name, "TOKEN", among: ["http", "oauth2", "openIdConnect"])),
        &wanted)
    case "mutualTLS":
      wanted.problem =
        "the security scheme '\(ShortText.comment(name))' needs a certificate: "
        + "set client_cert and client_key"
    default:
      wanted.problem = "the security scheme '\(ShortText.comment(name))' has an unknown type"
    }
  }

  private func add(_ way: ImportedAccess.Way, _ wanted: inout Wanted) {
    guard let first = wanted.access.way else {
      wanted.access.way = way
      return
    }
    // Two token schemes are alternative flows for the same token, such as the implicit flow and the
    // code flow.
    if SecurityReader.isToken(first), SecurityReader.isToken(way) {
      if case .bearer = first { wanted.access.way = way }
      return
    }
    guard case .header(let name, let prefix, let variable) = way else {
      if case .header(let name, let prefix, let variable)? = wanted.access.way {
        wanted.access.headers.append((name, .secret(prefix: prefix, variable: variable)))
        wanted.access.way = way
      } else {
        wanted.problem = "two security schemes at once are not supported"
      }
      return
    }
    wanted.access.headers.append((name, .secret(prefix: prefix, variable: variable)))
  }

  private func flow(_ scheme: ImportNode, _ name: String) -> ImportedAccess.Way {
    // If there are more than 20, the document lists all scopes of the API. A single program does
    // not need that many.
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
    if let flow = scheme["flows"]?["deviceAuthorization"],
      let url = secure(flow.string("tokenUrl")),
      let device = secure(flow.string("deviceAuthorizationUrl"))
    {
      return .device(
        .init(
          tokenURL: url, deviceURL: device,
          clientID: variable(name, "CLIENT_ID", among: ["oauth2"]), scope: scope))
    }
    // The tokens of other flows are obtained outside of Lull.
    return .bearer(variable: variable(name, "TOKEN", among: ["http", "oauth2", "openIdConnect"]))
  }

  /// Notes on the logins whose URLs are only in the metadata of the authorization server.
  var notes: [String] {
    guard document.version >= .v32 else { return [] }
    let used = Set(
      usedNames.filter { name in
        guard let scheme = scheme(name), scheme.string("type") == "oauth2" else { return false }
        if case .bearer = flow(scheme, name) { return true } else { return false }
      })
    return used.sorted().compactMap { name in
      guard let url = scheme(name)?.string("oauth2MetadataUrl") else { return nil }
      return
        "the security scheme '\(ShortText.comment(name))' is a bearer token, because Lull does not read "
        + "\(ShortText.comment(String(url.prefix(200)))): for a login, set the URLs in it with "
        + "lull.auth.oauth2_code or lull.auth.oauth2_device"
    }
  }

  private func secure(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    let base = ResourceURL.base(self.base)
    guard let url = base?.relative(text), url.scheme == "https", !url.authority.contains("@") else {
      return nil
    }
    return url.text
  }

  /// Returns the name of an environment variable. It includes the scheme's name if several schemes
  /// would otherwise have the same variable.
  private func variable(_ scheme: String, _ what: String, among types: Set<String>) -> String {
    let all = document.root["components"]?["securitySchemes"]?.pairs ?? []
    let alike = all.filter { types.contains($0.value.string("type") ?? "") }
    guard alike.count > 1 else { return "\(prefix)_\(what)" }
    let name = SecurityReader.variableName(scheme)
    return name.hasSuffix(what) ? "\(prefix)_\(name)" : "\(prefix)_\(name)_\(what)"
  }

  /// Returns a text in upper case. Characters that are not valid in names of variables are replaced
  /// by `_`.
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

/// Finds the `configure` entries that are needed so that each call has its own credentials.
enum AccessExceptions {
  struct Entry {
    var path: String
    var method: String
    var access: ImportedAccess
  }

  private struct Place: Hashable {
    var pattern: String
    var method: String
  }

  private static let mostPairs = 500_000

  /// The method and the number of segments. Only patterns with an equal shape can match the same
  /// path.
  private struct Shape: Hashable {
    var method: String
    var count: Int
  }

  private static func shape(of place: Place) -> Shape {
    Shape(method: place.method, count: place.pattern.utf8.count { $0 == UInt8(ascii: "/") })
  }

  private static func parts(of pattern: String) -> [Substring] {
    pattern.split(separator: "/", omittingEmptySubsequences: false)
  }

  /// Returns the most common credentials. If several are equally common, returns the first.
  static func commonest(of accesses: some Sequence<ImportedAccess>) -> ImportedAccess? {
    var counts: [(access: ImportedAccess, count: Int)] = []
    for access in accesses {
      if let place = counts.firstIndex(where: { $0.access == access }) {
        counts[place].count += 1
      } else {
        counts.append((access, 1))
      }
    }
    guard let most = counts.map(\.count).max() else { return nil }
    let all = counts.filter { $0.count == most }.map(\.access)
    return all.first { $0 != ImportedAccess() } ?? all.first
  }

  /// - Parameter standard: The credentials of calls without a `configure` entry. `nil` if they are
  ///   unknown.
  static func made(of entries: [Entry], standard: ImportedAccess?) -> [ImportedException] {
    guard entries.contains(where: { $0.access != standard }) else { return [] }
    var accesses: [Place: ImportedAccess] = [:]
    var order: [Place] = []
    for entry in entries {
      let place = Place(pattern: pattern(of: entry.path), method: entry.method)
      if accesses.updateValue(entry.access, forKey: place) == nil { order.append(place) }
    }
    var wanted = order.filter { accesses[$0] != standard }
    // If an entry for another call also matches a call, that call needs its own entry after it.
    var given = Set(wanted)
    var wild: [Shape: [[Substring]]] = [:]
    for place in wanted where place.pattern.contains("*") {
      wild[shape(of: place), default: []].append(parts(of: place.pattern))
    }
    // If there are too many pairs to compare, every call gets its own entry.
    let pairs = order.reduce(0) { $0 + (wild[shape(of: $1)]?.count ?? 0) }
    for place in order where !given.contains(place) {
      guard let patterns = wild[shape(of: place)] else { continue }
      let own = parts(of: place.pattern)
      if pairs > mostPairs || patterns.contains(where: { covers($0, own) }) {
        wanted.append(place)
        given.insert(place)
      }
    }
    // Sort patterns with more wildcards first, because the last entry that matches applies.
    let ordered = wanted.enumerated().sorted { one, other in
      let (left, right) = (stars(one.element.pattern), stars(other.element.pattern))
      return left == right ? one.offset < other.offset : left > right
    }.map(\.element)
    return joined(ordered, accesses)
  }

  /// Combines entries that have the same pattern and credentials into one entry with several
  /// methods.
  private static func joined(
    _ places: [Place], _ accesses: [Place: ImportedAccess]
  ) -> [ImportedException] {
    var result: [ImportedException] = []
    var positions: [String: [Int]] = [:]
    for place in places {
      guard let access = accesses[place] else { continue }
      let known = positions[place.pattern]?.first { result[$0].access == access }
      if let known {
        result[known].methods.append(place.method)
      } else {
        positions[place.pattern, default: []].append(result.count)
        result.append(.init(pattern: place.pattern, methods: [place.method], access: access))
      }
    }
    return result
  }

  /// Returns the pattern for a path, such as `/users/*` for `/users/{id}`. The query is ignored.
  static func pattern(of path: String) -> String {
    var result = ""
    var isInside = false
    for character in path.prefix(while: { $0 != "?" }) {
      switch character {
      case "{":
        isInside = true
        if !result.hasSuffix("*") { result += "*" }
      case "}": isInside = false
      default: if !isInside { result.append(character) }
      }
    }
    return result
  }

  private static func stars(_ pattern: String) -> Int { pattern.count { $0 == "*" } }

  /// Returns whether a pattern matches every path that another pattern or a path template matches.
  static func reaches(_ pattern: String, _ other: String) -> Bool {
    let (left, right) = (parts(of: pattern), parts(of: other))
    return left.count == right.count
      && zip(left, right).allSatisfy(hits)
  }

  /// Returns whether there is a path that both patterns match.
  static func overlap(_ pattern: String, _ other: String) -> Bool {
    let (left, right) = (parts(of: pattern), parts(of: other))
    return left.count == right.count && covers(left, right)
  }

  /// Returns whether one segment of a pattern matches everything that another segment matches.
  private static func hits(_ part: Substring, _ other: Substring) -> Bool {
    part == other || part.contains("*") && NamePattern(String(part)).matches(String(other))
  }

  private static func covers(_ parts: [Substring], _ others: [Substring]) -> Bool {
    zip(parts, others).allSatisfy { hits($0, $1) || hits($1, $0) }
  }
}
