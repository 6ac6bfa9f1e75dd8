import LullCore

/// Converts an OpenAPI document to an API, and the schemas of its calls.
///
/// Behaviours: IMP-01 to IMP-168.
package struct OpenAPIImport {
  package struct Options {
    /// Patterns for the operations to import. They match the operationId, a tag or the path. Empty:
    /// all operations.
    package var only: [NamePattern] = []
    /// The base URL that replaces the servers of the document.
    package var baseURL: String?
    /// The name of the API file without `.lua`. The names of environment variables begin with it.
    package var name: String
    /// The options of `lull call` itself, which parameters must not use.
    package var taken: Set<String> = []

    package init(name: String) { self.name = name }
  }

  package struct Result {
    package var api: ImportedAPI
    /// The content of the schema file. `nil` if no call has a schema.
    package var schemas: [UInt8]?
  }

  private static let methods = [
    "get", "put", "post", "patch", "delete", "head", "options", "trace", "query",
  ]
  /// Methods whose calls send their parameters in the query by default.
  private static let withoutBody: Set<String> = ["GET", "HEAD", "DELETE", "OPTIONS"]

  private let document: OpenAPIDocument
  private let options: Options
  private let parameters: ParameterReader
  private let bodies: BodyReader
  private let pages: PageReader
  private let answers: AcceptReader
  private let streams: StreamReader
  private let servers: ServerReader
  private let security: SecurityReader
  private var api: ImportedAPI
  private var names = CallNames()
  private var schemas: SchemaFileWriter
  /// The operations that became calls, as in `GET /users`.
  private var imported: Set<String> = []
  private var wanted: [(call: Int, wanted: SecurityReader.Wanted)] = []
  private let standard: SecurityReader.Wanted

  package static func read(_ set: DocumentSet, _ options: Options) throws(DocumentProblem) -> Result
  {
    var reader = try OpenAPIImport(set, options)
    return reader.read()
  }

  private init(_ set: DocumentSet, _ options: Options) throws(DocumentProblem) {
    document = try OpenAPIDocument(set)
    self.options = options
    parameters = ParameterReader(document: document, taken: options.taken)
    bodies = BodyReader(document: document, parameters: parameters)
    pages = PageReader(document: document)
    answers = AcceptReader(document: document)
    streams = StreamReader(document: document)
    servers = ServerReader(document: document, baseURL: options.baseURL)
    schemas = SchemaFileWriter(document)
    let found = try servers.servers()
    api = ImportedAPI(baseURL: found[0].url)
    if let environments = ServerReader.environments(found) {
      api.environments = environments
    } else {
      for server in found.dropFirst() where server.url != found[0].url {
        api.otherServers.append((server.url, server.description))
      }
    }
    security = SecurityReader(
      document: document, prefix: SecurityReader.variableName(options.name), base: found[0].url)
    standard = security.wanted(document.root["security"])
  }

  private mutating func read() -> Result {
    let info = document.root["info"]
    api.description = info?.string("title") ?? info?.string("description")
    let paths = (document.root["paths"]?.pairs ?? []).filter { !$0.key.hasPrefix("x-") }
    for (path, written) in paths.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    {
      let item: ImportNode
      do throws(DocumentProblem) {
        item = try document.resolved(written)
      } catch {
        leaveOut(path, error.text)
        continue
      }
      for method in OpenAPIImport.methods {
        guard let operation = item[method], operation.isObject else { continue }
        read(operation, method.uppercased(), path, in: item)
      }
      // Methods in any spelling, for OpenAPI 3.2.
      for (method, operation) in item["additionalOperations"]?.pairs ?? []
      where operation.isObject {
        guard RequestMethod(rawValue: method)?.rawValue == method else {
          leaveOut("\(method) \(path)", "its method is not one in upper case")
          continue
        }
        read(operation, method, path, in: item)
      }
    }
    settleAccess()
    noteWithoutForm()
    noteWithoutPages()
    noteLeftBodies()
    api.notes += StreamReader.notes(on: api.calls)
    api.notes += document.losses.notes(of: imported) + security.notes
    answers.lift(in: &api)
    let bytes = schemas.text
    api.notes += schemas.notes + document.notes
    return Result(api: api, schemas: bytes)
  }

  /// Notes the parameters that a user of the calls must serialize.
  private mutating func noteWithoutForm() {
    var count = 0
    var first = ""
    for call in api.calls {
      for parameter in call.parameters where parameter.lacksForm {
        if count == 0 { first = "'\(parameter.key)' of '\(call.name)'" }
        count += 1
      }
    }
    guard count > 0 else { return }
    api.notes.append(
      "\(count) \(count == 1 ? "parameter has" : "parameters have") lists or objects as elements, "
        + "which cannot be encoded outside a JSON body: pass the encoded text as the value, for example for "
        + ShortText.comment(first))
  }

  /// Notes the calls with pages that the importer can't describe.
  private mutating func noteWithoutPages() {
    let names = api.calls.filter(\.lacksPages).map { ShortText.comment($0.name) }
    guard !names.isEmpty else { return }
    let start = names.count == 1 ? "1 call seems to return" : "\(names.count) calls seem to return"
    api.notes.append(
      "\(start) pages, but the document does not say how to request the next page; add 'pages' to: "
        + names.joined(separator: ", "))
  }

  /// Notes the body types that no call sends, with the names of the calls concerned.
  private mutating func noteLeftBodies() {
    var calls: [(type: String, names: [String])] = []
    for call in api.calls {
      for type in call.leftBodies {
        let name = ShortText.comment(call.name)
        if let place = calls.firstIndex(where: { $0.type == type }) {
          calls[place].names.append(name)
        } else {
          calls.append((type, [name]))
        }
      }
    }
    guard !calls.isEmpty else { return }
    let shown = calls.prefix(10).map { type, names in
      let others = names.count > 5 ? " and \(names.count - 5) others" : ""
      return "\(ShortText.comment(type)) (\(names.prefix(5).joined(separator: ", "))\(others))"
    }
    api.notes.append(
      "body types left out, because a call sends one type of body: \(shown.joined(separator: "; "))"
        + (calls.count > 10 ? "; and \(calls.count - 10) other types" : ""))
  }

  private mutating func leaveOut(_ what: String, _ reason: String) {
    api.leftOut.append(.init(what: ShortText.comment(String(what.prefix(300))), reason: reason))
  }

  private mutating func read(
    _ operation: ImportNode, _ method: String, _ path: String, in item: ImportNode
  ) {
    let id = operation.string("operationId")
    let tags = document.tags(of: operation)
    let isWanted =
      options.only.isEmpty
      || options.only.contains { pattern in
        ([path] + tags + (id.map { [$0] } ?? [])).contains(where: pattern.matches)
      }
    guard isWanted else { return }
    do throws(DocumentProblem) {
      let choice = try operation["requestBody"].map { node throws(DocumentProblem) in
        try bodies.choice(of: node)
      }
      var call = try call(operation, method, path, in: item, body: choice?.first)
      let (name, taken) = names.name(for: id, method: method, path: path)
      call.name = name
      call.tags = tags
      call.leftBodies = choice?.left ?? []
      if let taken {
        api.notes.append(
          "\(method) \(ShortText.comment(path)) is named '\(name)', because there is another "
            + "'\(ShortText.comment(taken))'")
      }
      schemas.add(call, operation, in: item)
      api.calls.append(call)
      imported.insert("\(method) \(path)")
      guard let form = choice?.form else { return }
      var other = try self.call(operation, method, path, in: item, body: form)
      other.name = names.name(for: name + "_multipart", method: method, path: path).name
      other.tags = tags
      schemas.add(other, operation, in: item)
      api.calls.append(other)
    } catch {
      leaveOut("\(method) \(path)", error.text)
    }
  }

  private mutating func call(
    _ operation: ImportNode, _ method: String, _ path: String, in item: ImportNode,
    body: BodyReader.Content?
  ) throws(DocumentProblem) -> ImportedCall {
    guard path.hasPrefix("/") else { throw DocumentProblem("the path does not begin with '/'") }
    guard method != "TRACE" else { throw DocumentProblem("TRACE cannot be sent") }
    guard !path.unicodeScalars.contains(where: LuaLiteral.isHidden), !path.contains("\\") else {
      throw DocumentProblem("the path has characters that are not valid in a URL")
    }
    let hasBody = !OpenAPIImport.withoutBody.contains(method)
    let isSafe = method == "POST" && operation.bool("x-lull-safe") == true
    let prefix = try servers.prefix(for: operation, in: item, base: api.baseURL)
    var call = ImportedCall(name: "", method: method, path: "")
    call.isSafe = isSafe
    call.parameters = try parameters.parameters(of: operation, in: item, hasBody: hasBody)
    if let body { bodies.read(body, into: &call, hasBody: hasBody) }
    if let types = answers.header(of: operation) { call.headers.append(("Accept", .plain(types))) }
    let summary = operation.string("summary").flatMap { ShortText.line($0) }
    call.description = summary ?? operation.string("description")
    if operation.bool("deprecated") == true {
      call.description = "Deprecated" + (call.description.map { ": " + $0 } ?? "")
    }
    let wanted = operation["security"].map { security.wanted($0) } ?? standard
    if let problem = wanted.problem {
      api.notes.append(
        "\(method) \(ShortText.comment(path)): \(problem); the request is sent without credentials")
    }
    var keys: [ImportedAccess.Key] = []
    if case .query(let own)? = wanted.access.way { keys = own }
    for key in keys + wanted.query {
      call.parameters.removeAll { $0.place == .query && $0.key == key.name }
    }
    for key in wanted.query {
      var parameter = ImportedParameter(key: key.name, place: .query)
      parameter.saysPlace = hasBody
      parameter.secret = key.variable
      call.parameters.append(parameter)
    }
    var target = prefix + OpenAPIImport.withoutFragment(path)
    try addQuery(of: &call, to: &target)
    call.parameters = try parameters.named(call.parameters, path: &target)
    call.path = target
    pages.read(operation, into: &call)
    streams.read(operation, into: &call)
    self.wanted.append((api.calls.count, wanted))
    return call
  }

  /// Appends the parameter that is the whole query to the path.
  private func addQuery(
    of call: inout ImportedCall, to path: inout String
  ) throws(DocumentProblem) {
    let place = call.parameters.firstIndex { $0.place == .path && $0.isWhole }
    guard let place else { return }
    let name = call.parameters[place].key
    guard !path.contains("?"), !APIPathPlaces.names(in: path).contains(name) else {
      throw DocumentProblem(
        "the parameter '\(ShortText.comment(name))' is the whole query, but its path has a query or a "
          + "parameter of that name")
    }
    path += "?{\(name)}"
    call.parameters[place].isWhole = false
    call.wholeQuery = name
  }

  /// Removes the fragment of a path, which is never sent. Some documents use fragments to
  /// distinguish variants of a path.
  private static func withoutFragment(_ path: String) -> String {
    String(path.prefix { $0 != "#" })
  }

  // MARK: Access

  /// Uses the most common credentials for the whole API. Calls with other credentials get their own
  /// `configure` entries.
  private mutating func settleAccess() {
    let wanted = wanted.filter { $0.call < api.calls.count }
    api.access =
      standard.problem == nil && standard.access.way != nil
      ? standard.access : AccessExceptions.commonest(of: wanted.map(\.wanted.access)) ?? .init()
    let entries = wanted.map { entry in
      AccessExceptions.Entry(
        path: api.calls[entry.call].path, method: api.calls[entry.call].method,
        access: entry.wanted.access)
    }
    api.exceptions = AccessExceptions.made(of: entries, standard: api.access)
  }
}

/// Generates the names of calls: from the operationId, or from the method and path if there is
/// none.
struct CallNames {
  private var used: Set<[UInt8]> = []
  /// For each name that several calls share, the last number that was appended to it.
  private var numbers: [[UInt8]: Int] = [:]
  private static let longest = 120

  /// - Returns: The name of the call. If another call already has the desired name, `taken` is the
  ///   desired name.
  mutating func name(for id: String?, method: String, path: String) -> (
    name: String, taken: String?
  ) {
    let wanted = id.flatMap(CallNames.printable) ?? CallNames.made(method, path)
    var name = wanted
    while !used.insert(Array(name.utf8)).inserted {
      let number = numbers[Array(wanted.utf8), default: 1] + 1
      numbers[Array(wanted.utf8)] = number
      name = "\(wanted)_\(number)"
    }
    return (name, name == wanted ? nil : wanted)
  }

  /// Removes invisible characters, and leading dashes that would look like an option. `nil` if no
  /// character is left.
  private static func printable(_ id: String) -> String? {
    var name = ""
    for scalar in id.unicodeScalars.prefix(longest) {
      name.unicodeScalars.append(
        LuaLiteral.isHidden(scalar) || scalar.properties.isWhitespace && scalar != " "
          ? "_" : scalar)
    }
    while name.first == " " { name.removeFirst() }
    while name.last == " " { name.removeLast() }
    if name.hasPrefix("-") { name = "_" + name }
    return name.isEmpty ? nil : name
  }

  private static func made(_ method: String, _ path: String) -> String {
    var name = method.lowercased()
    for part in path.unicodeScalars.prefix(4 * longest).split(whereSeparator: { scalar in
      !(scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)))
    }) {
      name += "_" + String(String.UnicodeScalarView(part))
    }
    return String(name.prefix(longest))
  }
}

/// A pattern for names, tags and paths. `*` matches any text, and `?` matches any character.
package struct NamePattern: Sendable {
  package let text: String
  private let pattern: [Character]

  package init(_ text: String) {
    self.text = text
    pattern = Array(text)
  }

  package func matches(_ text: String) -> Bool {
    let text = Array(text)
    var place = 0
    var at = 0
    // The position of the last `*` in the pattern, and the position in the text up to which it
    // matches so far.
    var star: Int?
    var taken = 0
    while place < text.count {
      if at < pattern.count, pattern[at] == "?" || pattern[at] == text[place], pattern[at] != "*" {
        place += 1
        at += 1
      } else if at < pattern.count, pattern[at] == "*" {
        star = at
        taken = place
        at += 1
      } else if let star {
        at = star + 1
        taken += 1
        place = taken
      } else {
        return false
      }
    }
    return pattern[at...].allSatisfy { $0 == "*" }
  }
}
