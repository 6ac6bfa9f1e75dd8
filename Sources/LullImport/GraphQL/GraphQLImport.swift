import LullCore
package import LullGraphQL

/// Creates an API from a GraphQL schema: a call for each operation of given documents, or for each
/// field of the root types.
///
/// Behaviours: GQL-70 to GQL-86.
package struct GraphQLImport {
  /// A document with operations that the user has written.
  package struct OperationFile {
    /// The name in messages.
    package let shownName: String
    package let bytes: [UInt8]
    /// The path relative to the folder of the API file. nil: the document is copied, because it is
    /// elsewhere.
    package let place: String?

    package init(shownName: String, bytes: [UInt8], place: String?) {
      self.shownName = shownName
      self.bytes = bytes
      self.place = place
    }
  }

  package struct Options {
    /// Patterns for the operations to import. They match the name of a call or the kind of its
    /// operation. Empty: all operations.
    package var only: [NamePattern] = []
    /// The URL to which operations are sent.
    package var endpoint: String
    /// The name of the API file without `.lua`. The names of environment variables begin with it.
    package var name: String
    /// The folder of the API file in messages, with a slash at its end, or empty.
    package var folder = ""
    /// The levels of selections of a generated operation.
    package var depth = 2
    /// The headers of the introspection, which all calls get.
    package var headers: [(name: String, value: String)] = []
    /// The user name and password as `user:password`.
    package var user: String?
    package var isDigest = false
    /// The options of `lull call` itself, which variables must not use.
    package var taken: Set<String> = []
    /// Empty: operations are generated.
    package var operations: [OperationFile] = []
    /// Returns the content of a file of an earlier import that the user has changed since. nil: the
    /// file does not exist or is unchanged.
    package var edited: (String) -> [UInt8]? = { _ in nil }

    package init(endpoint: String, name: String) {
      self.endpoint = endpoint
      self.name = name
    }
  }

  package struct Result {
    package var api: ImportedAPI
    /// The content of the schema file. `nil` if no call has a schema.
    package var schemas: [UInt8]?
    /// The documents of the operations.
    package var files: [ImportedFile]
  }

  /// The largest number of fields of a generated operation. A larger one gets a smaller depth.
  private static let mostFields = 2_000
  /// The largest number of object types for which a generated operation has fragments.
  private static let mostTypes = 20
  private static let mostNotes = 10
  /// Variables whose description would repeat their name.
  private static let wellKnown: Set<String> = ["first", "after", "last", "before", "input"]

  private let schema: GraphQLSchema
  private let options: Options
  private var api: ImportedAPI
  private var path = ""
  private var names = CallNames()
  private var fileNames = UniqueNames()
  private var files: [ImportedFile] = []
  private var schemas: GraphQLDataSchemas
  private var entries: [(name: String, entry: [UInt8])] = []
  /// The calls whose operations have a smaller depth than requested.
  private var shallow: [String] = []

  package static func read(_ schema: GraphQLSchema, _ options: Options) -> Result {
    var reader = GraphQLImport(schema, options)
    return reader.read()
  }

  private init(_ schema: GraphQLSchema, _ options: Options) {
    self.schema = schema
    self.options = options
    schemas = GraphQLDataSchemas(schema) { ShortText.line($0) }
    api = ImportedAPI(baseURL: "")
  }

  private mutating func read() -> Result {
    readEndpoint()
    api.description = schema.description
    api.graphQL = "\(options.name).graphql"
    if options.operations.isEmpty {
      for kind in GraphQLOperationKind.allCases {
        guard let root = schema.root(kind) else { continue }
        for field in root.fields.sorted(by: {
          $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }) { add(field, of: kind) }
      }
      noteShallow()
    } else {
      for file in options.operations { add(file) }
    }
    let definitions = schemas.definitions.map { ($0.name, Array($0.text.utf8)) }
    return Result(
      api: api, schemas: SchemaFileWriter.text(calls: entries, definitions: definitions),
      files: files)
  }

  // MARK: Endpoint

  private mutating func readEndpoint() {
    var request = ParsedRequest()
    _ = request.take(url: options.endpoint)
    if let user = options.user {
      request.user = user
      request.isDigest = options.isDigest
    }
    request.headers = options.headers
    // The last part of the path, so that other calls can be added beside the operations.
    let isFolder = request.path.hasSuffix("/")
    let parts = request.path.split(separator: "/")
    api.baseURL = ([request.origin] + parts.dropLast().map(String.init)).joined(separator: "/")
    path = parts.last.map { "/\($0)\(isFolder ? "/" : "")" } ?? ""
    if !request.query.isEmpty || !request.literalQuery.isEmpty {
      api.notes.append(
        "the query of the URL is left out: add it to 'path' or configure it, if the server needs it"
      )
    }
    let access = ParsedAccess(
      request, VariableNames(api: options.name), hasShellBlanks: false)
    api.access = access.access
    api.notes += access.notes
    for (name, value) in request.headers
    where !ParsedAccess.isCredential(name, of: request)
      && !["accept", "content-type", "content-length", "host"].contains(name.lowercased())
    {
      api.headers.append((name, .plain(value)))
    }
  }

  // MARK: Generated operations

  private func isWanted(_ name: String, _ kind: GraphQLOperationKind) -> Bool {
    options.only.isEmpty
      || options.only.contains { $0.matches(name) || $0.matches(kind.rawValue) }
  }

  private mutating func leaveOut(_ what: String, _ reason: String) {
    api.leftOut.append(.init(what: ShortText.comment(String(what.prefix(300))), reason: reason))
  }

  private mutating func add(_ field: GraphQLSchema.Field, of kind: GraphQLOperationKind) {
    guard isWanted(field.name, kind) else { return }
    let title = "\(kind.rawValue) \(field.name)"
    do throws(GraphQLSchema.GenerationProblem) {
      let (text, depth) = try operation(field.name, of: kind)
      let (name, taken) = names.name(for: field.name, method: kind.rawValue, path: field.name)
      let file = fileName(name)
      let shown = "\(options.folder)\(file)"
      let document = try? GraphQLDocument(text, name: shown)
      guard let document, schema.validate(document).isValid,
        let operation = document.operations(schema: schema).first
      else {
        return leaveOut(title, "the schema has errors, and its operation would not be valid")
      }
      if depth < options.depth { shallow.append(name) }
      note(name, taken, title)
      files.append(ImportedFile(name: file, bytes: Array(text.utf8)))
      if let edited = options.edited(file) {
        addEdited(
          edited, shown, operation.name, ImportedCall.graphQL(name, path, file), field, kind)
      } else {
        add(operation, ImportedCall.graphQL(name, path, file), field)
      }
    } catch {
      leaveOut(title, "\(error)")
    }
  }

  /// Generates an operation with the requested depth, or with the largest that is not too large.
  private func operation(_ field: String, of kind: GraphQLOperationKind)
    throws(GraphQLSchema.GenerationProblem) -> (text: String, depth: Int)
  {
    var depth = options.depth
    while true {
      do throws(GraphQLSchema.GenerationProblem) {
        let text = try schema.operation(
          for: field, of: kind, depth: depth, limit: GraphQLImport.mostFields,
          mostTypes: GraphQLImport.mostTypes)
        return (text, depth)
      } catch {
        guard case .tooLarge = error, depth > 1 else { throw error }
        depth -= 1
      }
    }
  }

  /// The name of the file of an operation. Some file systems ignore the case of letters.
  private mutating func fileName(_ name: String) -> String {
    let wanted = UniqueNames.plain(name, else: "operation")
    let free = fileNames.name(for: wanted.lowercased())
    return "\(options.name)/\(wanted)\(free.dropFirst(wanted.count)).graphql"
  }

  private mutating func noteShallow() {
    guard !shallow.isEmpty else { return }
    let shown = shallow.prefix(GraphQLImport.mostNotes).joined(separator: ", ")
    let others = shallow.count - GraphQLImport.mostNotes
    api.notes.append(
      "smaller depth than \(options.depth), because more than \(GraphQLImport.mostFields) fields would be "
        + "selected: \(shown)\(others > 0 ? " and \(others) others" : "")")
  }

  private mutating func note(_ name: String, _ taken: String?, _ title: String) {
    guard let taken else { return }
    api.notes.append("\(title) is named '\(name)', because there is another '\(taken)'")
  }

  // MARK: Documents

  /// Adds the call of a generated operation that the user has changed since.
  private mutating func addEdited(
    _ bytes: [UInt8], _ shown: String, _ name: String?, _ call: ImportedCall,
    _ field: GraphQLSchema.Field, _ kind: GraphQLOperationKind
  ) {
    guard let document = document(bytes, shown, what: call.name) else {
      var call = call
      call.description = field.description
      call.tags = [kind.rawValue]
      api.calls.append(call)
      return
    }
    let operations = document.operations(schema: schema)
    guard let operation = operations.first(where: { $0.name == name }) ?? operations.first else {
      api.notes.append("\(shown) has no operation")
      return
    }
    var call = call
    if operations.count > 1 { call.operation = operation.name }
    add(operation, call, field)
  }

  /// Parses and validates a document. Errors are noted.
  private mutating func document(_ bytes: [UInt8], _ shown: String, what: String)
    -> GraphQLDocument?
  {
    do throws(GraphQLProblem) {
      let document = try GraphQLDocument(bytes, name: shown)
      let problems = schema.validate(document).problems
      for problem in problems.prefix(GraphQLImport.mostNotes) { note(problem) }
      if problems.count > GraphQLImport.mostNotes {
        api.notes.append("\(shown): \(problems.count - GraphQLImport.mostNotes) other errors")
      }
      return problems.isEmpty ? document : nil
    } catch {
      note(error)
      return nil
    }
  }

  private mutating func note(_ problem: GraphQLProblem) {
    api.notes.append(ShortText.comment("\(problem.place): \(problem.message)"))
  }

  private mutating func add(_ file: OperationFile) {
    let stem = file.shownName.split(separator: "/").last.map(String.init) ?? ""
    let plain = UniqueNames.plain(
      stem.split(separator: ".").first.map(String.init) ?? "", else: "operation")
    var place = file.place ?? ""
    if file.place == nil { place = fileName(plain) }
    let edited = file.place == nil ? options.edited(place) : nil
    let shown = edited == nil ? file.shownName : "\(options.folder)\(place)"
    guard let document = document(edited ?? file.bytes, shown, what: plain) else {
      return leaveOut(file.shownName, "the document has errors")
    }
    let operations = document.operations(schema: schema)
    guard !operations.isEmpty else {
      return leaveOut(file.shownName, "the document has no operations")
    }
    if file.place == nil { files.append(ImportedFile(name: place, bytes: file.bytes)) }
    for operation in operations where isWanted(operation.name ?? plain, operation.kind) {
      let title = "\(operation.kind.rawValue) \(operation.name ?? plain)"
      let (name, taken) = names.name(
        for: operation.name ?? plain, method: operation.kind.rawValue, path: plain)
      note(name, taken, title)
      var call = ImportedCall.graphQL(name, path, place)
      if operations.count > 1 { call.operation = operation.name }
      call.description = operation.description
      add(operation, call, nil)
    }
  }

  // MARK: Calls

  /// - Parameter field: The field for which the operation was generated.
  private mutating func add(
    _ operation: GraphQLOperation, _ written: ImportedCall, _ field: GraphQLSchema.Field?
  ) {
    var call = written
    call.tags = [operation.kind.rawValue]
    if let field {
      call.description = field.description
      if field.deprecationReason != nil {
        call.description = "Deprecated" + (field.description.map { ": " + $0 } ?? "")
      }
    }
    for variable in operation.variables {
      var parameter = ImportedParameter(key: variable.name, place: .body)
      parameter.isVariable = true
      let option = variable.name.replacing("_", with: "-")
      if options.taken.contains("--\(option)") { parameter.option = "--variable-\(option)" }
      if variable.description == nil, !GraphQLImport.wellKnown.contains(variable.name) {
        parameter.description = field?.argument(variable.name)?.description
      }
      if parameter.option != nil || parameter.description != nil {
        call.parameters.append(parameter)
      }
    }
    if let rows = operation.rows {
      call.rows = rows.path.joined(separator: ".")
      call.columns = GraphQLImport.columns(of: rows)
    }
    let connections = operation.connections.filter { !$0.isInList }
    if let connection = connections.first, operation.kind == .query {
      call.pages = .relay(
        path: connections.count == 1 ? nil : connection.path.joined(separator: "."))
    }
    let schema = Array(schemas.schema(of: operation).utf8)
    entries.append((call.name, Array("{\"responses\":{\"200\":".utf8) + schema + Array("}}".utf8)))
    api.calls.append(call)
  }

  /// The fields of a row that tell it from others, if the row has many.
  private static func columns(of rows: GraphQLOperation.Rows) -> [String] {
    guard rows.columns.count > 6 else { return rows.columns.map { $0.joined(separator: ".") } }
    let telling = [
      "id", "number", "name", "title", "login", "slug", "state", "status", "createdAt",
    ]
    let found = telling.compactMap { name in rows.columns.first { $0.last == name } }
    return found.count < 2 ? [] : found.prefix(6).map { $0.joined(separator: ".") }
  }
}

extension ImportedCall {
  fileprivate static func graphQL(_ name: String, _ path: String, _ file: String) -> ImportedCall {
    var call = ImportedCall(name: name, method: "POST", path: path)
    call.graphQLFile = file
    return call
  }
}
