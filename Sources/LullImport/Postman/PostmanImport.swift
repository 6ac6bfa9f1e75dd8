import LullCore

/// Creates an API from a Postman collection, version 2.0 or 2.1.
package struct PostmanImport {
  var requests: [ParsedRequest] = []
  private var notes: [String] = []
  private var leftOut: [ImportedAPI.LeftOut] = []
  var variables = PostmanVariables()
  private var scripts = 0
  private var disabled = 0
  private var examples = 0
  /// The number of bodies that are not sent because their method usually has none.
  var pruned = 0
  let names: VariableNames
  /// The credentials of requests that use an OAuth 2 token or a key in the query. The key is the
  /// index of the request.
  var clients: [Int: ImportedAccess] = [:]

  private static let deepest = 50

  /// - Parameters:
  ///   - baseURL: Replaces the beginning of the request URLs. If it is `nil`, the requests and the
  ///     variables of the collection determine the base URL.
  ///   - name: The name of the API. The names of environment variables begin with it.
  package static func api(
    _ bytes: [UInt8], baseURL: String?, name: String
  ) throws(ImportProblem) -> ImportedAPI {
    guard let document = try? JSONDocument(parsing: bytes) else {
      throw ImportProblem("invalid JSON")
    }
    let root = document.root
    // Postman exports the collection itself. The API of Postman returns it as a member.
    let collection = root["collection"] ?? root
    guard let info = collection["info"], collection["item"]?.kind == .array else {
      throw ImportProblem(
        "not a Postman collection: expected 'info' and a list 'item' (export it as Collection v2.1)"
      )
    }
    let schema = info["schema"]?.string ?? ""
    guard schema.isEmpty || schema.contains("v2.0") || schema.contains("v2.1") else {
      throw ImportProblem(
        "the collection has another version: export it as Collection v2.1 "
          + "(\(LogText.part(schema, limit: 80)))"
      )
    }
    var reader = PostmanImport(names: VariableNames(api: name))
    reader.variables.take(collection["variable"])
    if let baseURL { reader.variables.baseURL = baseURL }
    reader.noteScripts(collection)
    try reader.take(
      collection["item"], folders: [], auth: collection["auth"],
      keepsBodies: PostmanImport.keepsBodies(collection) ?? false, depth: 0)
    return try reader.made(info)
  }

  private init(names: VariableNames) { self.names = names }

  mutating func note(_ text: String) {
    if !notes.contains(text) { notes.append(text) }
  }

  private mutating func noteScripts(_ element: JSONElement) {
    for event in PostmanImport.elements(element["event"]) {
      let lines = event["script"]?["exec"]
      let isEmpty =
        lines?.string?.isEmpty ?? lines.map { $0.elements.allSatisfy { ($0.string ?? "").isEmpty } }
        ?? true
      if !isEmpty { scripts += 1 }
    }
  }

  // MARK: Folders

  private mutating func take(
    _ items: JSONElement?, folders: [String], auth: JSONElement?, keepsBodies: Bool, depth: Int
  ) throws(ImportProblem) {
    guard depth <= PostmanImport.deepest else {
      throw ImportProblem("the folders are nested more than \(PostmanImport.deepest) deep")
    }
    for item in PostmanImport.elements(items) {
      let name = item["name"]?.string ?? ""
      noteScripts(item)
      let own = PostmanImport.auth(item["auth"]) ?? auth
      let keeps = PostmanImport.keepsBodies(item) ?? keepsBodies
      if item["item"] != nil {
        try take(
          item["item"], folders: folders + [name], auth: own, keepsBodies: keeps, depth: depth + 1)
      } else if let request = item["request"] {
        examples += PostmanImport.elements(item["response"]).count
        take(
          request, named: folders + [name], auth: PostmanImport.auth(request["auth"]) ?? own,
          keepsBodies: keeps)
      }
    }
  }

  /// Returns whether GET requests send bodies according to an item. `nil`: the item inherits the
  /// setting.
  private static func keepsBodies(_ element: JSONElement) -> Bool? {
    element["protocolProfileBehavior"]?["disableBodyPruning"]?.bool
  }

  /// Returns the credentials that an item declares. `nil`: the item inherits its credentials.
  private static func auth(_ element: JSONElement?) -> JSONElement? {
    guard let element, !element.isNull, element["type"]?.string != "inherit" else { return nil }
    return element
  }

  static func elements(_ element: JSONElement?) -> [JSONElement] {
    element.map { Array($0.elements) } ?? []
  }

  /// Returns the elements of a list that are not disabled, and counts the disabled ones.
  mutating func enabled(_ list: JSONElement?) -> [JSONElement] {
    PostmanImport.elements(list).filter { element in
      let isDisabled = element["disabled"]?.bool == true
      if isDisabled { disabled += 1 }
      return !isDisabled
    }
  }

  static func text(_ element: JSONElement?) -> String? {
    guard let element else { return nil }
    switch element.kind {
    case .string: return element.string
    case .int, .double, .bool:
      var bytes: [UInt8] = []
      element.encode(into: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    default: return element["content"]?.string
    }
  }

  // MARK: Requests

  private mutating func take(
    _ element: JSONElement, named path: [String], auth: JSONElement?, keepsBodies: Bool
  ) {
    var request = ParsedRequest()
    let title = path.filter { !$0.isEmpty }.joined(separator: "/")
    request.name = title
    request.tags = Array(path.dropLast())
    let isURL = element.kind == .string
    request.method = isURL ? "GET" : (PostmanImport.text(element["method"]) ?? "GET").uppercased()
    request.description = PostmanImport.text(element["description"])
    let what = "\(request.method) \(LogText.part(title, limit: 80))"
    guard request.method.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    else {
      return leaveOut(what, "the method is not valid")
    }
    if let reason = takeURL(isURL ? element : element["url"], &request) {
      return leaveOut(what, reason)
    }
    for (name, value) in headers(element["header"]) {
      request.headers.append((name, filled(value, keyed: name)))
    }
    takeBody(element["body"], &request, keeps: keepsBodies)
    take(auth: auth, &request)
    requests.append(request)
  }

  /// Reads headers from a list, or from a text with one header on each line.
  private mutating func headers(_ element: JSONElement?) -> [(name: String, value: String)] {
    guard let lines = element?.string else {
      return enabled(element).compactMap { header in
        guard let name = header["key"]?.string, !name.isEmpty else { return nil }
        return (name, PostmanImport.text(header["value"]) ?? "")
      }
    }
    return lines.split(whereSeparator: \.isNewline).compactMap { line in
      let name = line.prefix { $0 != ":" }
      let value = line[name.endIndex...].dropFirst().drop { $0 == " " || $0 == "\t" }
      return name.isEmpty || name.endIndex == line.endIndex ? nil : (String(name), String(value))
    }
  }

  private mutating func leaveOut(_ what: String, _ reason: String) {
    leftOut.append(.init(what: what, reason: reason))
  }

  /// Replaces the collection's variables in a text with their values. Credentials and unknown
  /// variables become placeholders.
  func filled(_ text: String, keyed name: String = "") -> String {
    variables.filled(text, isSecret: CredentialName.names(name))
  }

  /// Parses the URL of a request. Returns the reason why the URL can't be called, or `nil` if it
  /// can be called.
  private mutating func takeURL(_ url: JSONElement?, _ request: inout ParsedRequest) -> String? {
    let whole = url?.string ?? url?["raw"]?.string ?? PostmanImport.joined(url)
    guard let raw = whole.map({ $0.filter { !$0.isNewline } }), !raw.isEmpty else {
      return "the request has no URL"
    }
    var text = variables.filledHost(raw)
    if !text.contains("://"), !Blank.isIn(text.prefix { $0 != "/" }) { text = "http://\(text)" }
    guard request.take(url: text) else {
      if Blank.isIn(text.prefix(while: { $0 != "/" })) || Blank.isIn(request.origin) {
        return
          "the host is \(Blank.shown(text.prefix { $0 != "/" })), which the collection does not define "
          + "(set it with --base-url)"
      }
      return "the URL is not an HTTP URL"
    }
    guard !Blank.isIn(request.origin) else {
      return
        "the host is \(Blank.shown(request.origin)), which the collection does not define "
        + "(set it with --base-url)"
    }
    // Path variables are written `:id`, and their values are in a separate list.
    var values: [String: String] = [:]
    for variable in PostmanImport.elements(url?["variable"]) {
      let name = variable["key"]?.string ?? variable["id"]?.string
      if let name { values[name] = PostmanImport.text(variable["value"]) ?? "" }
    }
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
    request.path = segments.map { segment in
      guard segment.hasPrefix(":"), segment.count > 1 else { return String(segment) }
      let name = Blank.without(segment.dropFirst())
      if let value = values[name], !value.isEmpty { request.blankValues[name] = filled(value) }
      return Blank.text(name)
    }.joined(separator: "/")
    // Disabled query parameters are only in the list, not in the URL.
    if url?["query"]?.kind == .array {
      request.query = []
      for pair in enabled(url?["query"]) {
        guard let name = pair["key"]?.string, !name.isEmpty else { continue }
        let value = PostmanImport.text(pair["value"])
        request.query.append(
          (
            ParsedRequest.decoded(filled(name)),
            value.map { ParsedRequest.decoded(filled($0, keyed: name)) }
          ))
      }
    }
    return nil
  }

  /// Joins the parts of a URL to a text. `nil` if there is no host.
  private static func joined(_ url: JSONElement?) -> String? {
    func parts(_ element: JSONElement?) -> [String]? {
      guard let element else { return nil }
      if let text = element.string { return [text] }
      let texts = element.elements.map { $0.string ?? $0["value"]?.string ?? "" }
      return texts.isEmpty ? nil : texts
    }
    guard let host = parts(url?["host"]) else { return nil }
    var text = url?["protocol"]?.string.map { "\($0)://" } ?? ""
    text += host.joined(separator: ".")
    if let port = PostmanImport.text(url?["port"]), !port.isEmpty { text += ":\(port)" }
    let path = parts(url?["path"])?.joined(separator: "/") ?? ""
    return text + (path.hasPrefix("/") || path.isEmpty ? "" : "/") + path
  }

  // MARK: The API

  private func made(_ info: JSONElement) throws(ImportProblem) -> ImportedAPI {
    var counts: [String: Int] = [:]
    for request in requests { counts[request.origin, default: 0] += 1 }
    let most = counts.values.max()
    guard let origin = requests.first(where: { counts[$0.origin] == most })?.origin else {
      throw ImportProblem(
        leftOut.first.map { "no request can be imported: \($0.what): \($0.reason)" }
          ?? "the collection has no requests")
    }
    let own = requests.indices.filter { requests[$0].origin == origin }
    var api = RequestImport(
      own.map { requests[$0] }, origin: origin, isRecorded: false, variables: names,
      given: Dictionary(
        uniqueKeysWithValues: own.enumerated().compactMap { number, request in
          clients[request].map { (number, $0) }
        })
    ).api
    if let description = PostmanImport.text(info["description"]) ?? info["name"]?.string {
      api.description = description
    }
    api.leftOut += leftOut
    for request in requests where request.origin != origin {
      api.leftOut.append(
        .init(
          what: "\(request.method) \(LogText.part(request.name, limit: 80))",
          reason: "the request is for another host, \(request.origin): import it into another file")
      )
    }
    if scripts > 0 {
      api.notes.append("left out: \(scripts) pre-request scripts and tests")
    }
    if pruned > 0 {
      api.notes.append("left out: \(pruned) bodies of GET and other methods without a body")
    }
    if disabled > 0 {
      api.notes.append("left out: \(disabled) disabled parameters, headers and fields")
    }
    if examples > 0 { api.notes.append("left out: \(examples) example responses") }
    api.notes = notes + api.notes
    return api
  }
}

/// Reads the credentials of a collection, a folder or a request.
extension PostmanImport {
  /// Returns a detail of the credentials. The details are a list of keys and values, or an object.
  private func detail(_ auth: JSONElement, _ type: String, _ key: String) -> String? {
    guard let details = auth[type] else { return nil }
    if details.kind == .object { return PostmanImport.text(details[key]) }
    return PostmanImport.elements(details).first { $0["key"]?.string == key }
      .flatMap { PostmanImport.text($0["value"]) }
  }

  mutating func take(auth: JSONElement?, _ request: inout ParsedRequest) {
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
        return note("an API key without a name is left out (apikey)")
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
        note(
          "OAuth 2 with '\(LogText.part(grant, limit: 30))' is not imported: "
            + "the API file reads an access token from an environment variable")
        request.headers.append(("Authorization", "Bearer \(secret("accessToken"))"))
      }
    default:
      note("auth of type '\(LogText.part(type, limit: 30))' is not imported")
    }
  }

  /// Returns a detail of OAuth 2 credentials as plain text. `nil` if the detail is missing or
  /// contains a placeholder.
  private func plain(_ auth: JSONElement, _ key: String) -> String? {
    let text = detail(auth, "oauth2", key).map { variables.filledHost($0) }
    return text.flatMap { Blank.isIn($0) || $0.isEmpty ? nil : $0 }
  }
}

/// Reads the request bodies in a collection.
extension PostmanImport {
  /// - Parameter keeps: Whether a body is sent even if the method usually has none.
  mutating func takeBody(_ body: JSONElement?, _ request: inout ParsedRequest, keeps: Bool) {
    guard let body, body["disabled"]?.bool != true, let mode = body["mode"]?.string else { return }
    let headers = request.headers
    readBody(body, mode, &request)
    guard request.body != nil, PostmanImport.withoutBody.contains(request.method) else { return }
    if keeps, request.method != "HEAD" { return }
    request.body = nil
    request.headers = headers
    pruned += 1
  }

  /// Methods for which Postman sends a body only if the request sets `disableBodyPruning`.
  private static let withoutBody: Set<String> = ["GET", "HEAD", "COPY", "PURGE", "UNLOCK"]

  private mutating func readBody(
    _ body: JSONElement, _ mode: String, _ request: inout ParsedRequest
  ) {
    switch mode {
    case "raw":
      let text = filled(body["raw"]?.string ?? "")
      guard !text.isEmpty else { return }
      let language = body["options"]?["raw"]?["language"]?.string
      setType(PostmanImport.types[language ?? ""], &request)
      if request.header("content-type") == nil, ParsedJSON(text) != nil {
        setType("application/json", &request)
      }
      if request.bodyType == "application/x-www-form-urlencoded",
        let fields = ParsedRequest.fields(text)
      {
        request.body = .fields(fields)
      } else {
        request.body = .whole(text)
      }
    case "urlencoded":
      var fields: [(name: String, value: String)] = []
      for pair in enabled(body["urlencoded"]) {
        guard let name = pair["key"]?.string, !name.isEmpty else { continue }
        fields.append((name, filled(PostmanImport.text(pair["value"]) ?? "", keyed: name)))
      }
      if !fields.isEmpty { request.body = .fields(fields) }
    case "formdata":
      var parts: [ParsedRequest.Part] = []
      for pair in enabled(body["formdata"]) {
        guard let name = pair["key"]?.string, !name.isEmpty else { continue }
        if pair["type"]?.string == "file" {
          let source = pair["src"]
          let paths =
            source?.string.map { [$0] } ?? PostmanImport.elements(source).compactMap(\.string)
          for path in paths.isEmpty ? [nil] : paths.map(Optional.some) {
            parts.append(ParsedRequest.Part(name: name, value: path, isFile: true))
          }
        } else {
          parts.append(
            ParsedRequest.Part(
              name: name, value: filled(PostmanImport.text(pair["value"]) ?? "", keyed: name),
              type: pair["contentType"]?.string))
        }
      }
      if !parts.isEmpty { request.body = .parts(parts) }
    case "file":
      // If there is neither a name nor content, the user had not selected a file.
      let file = body["file"]
      if let path = file?["src"]?.string, !path.isEmpty {
        request.body = .file(path)
      } else if let text = file?["content"]?.string, !text.isEmpty {
        request.body = .whole(filled(text))
      }
    case "graphql":
      let query = filled(body["graphql"]?["query"]?.string ?? "")
      guard !query.isEmpty else { return }
      setType("application/json", &request)
      let given = filled(body["graphql"]?["variables"]?.string ?? "")
      var members = [JSONValue.Member("query", .string(query))]
      if let operation = body["graphql"]?["operationName"]?.string, !operation.isEmpty {
        members.append(.init("operationName", .string(filled(operation))))
      }
      if let variables = ParsedJSON(given) { members.append(.init("variables", variables.value)) }
      let bytes = (try? JSONValue.object(members).encode()) ?? []
      request.body = .whole(String(decoding: bytes, as: UTF8.self))
    default: note("bodies of the mode '\(LogText.part(mode, limit: 30))' are left out")
    }
  }

  private static let types = [
    "json": "application/json", "xml": "application/xml", "html": "text/html", "text": "text/plain",
    "javascript": "application/javascript",
  ]

  private func setType(_ type: String?, _ request: inout ParsedRequest) {
    guard let type, request.header("content-type") == nil else { return }
    request.headers.append(("Content-Type", type))
  }
}
