import CLullBridge
import LullArguments
import LullCore
import LullGraphQL
import LullHost
import LullLuaSource

/// The settings of a call about its GraphQL operation, as the API file declares them.
struct DeclaredGraphQL {
  /// The document, or the name of its file.
  enum Document {
    case text(String)
    case file(String)
  }

  var document: Document?
  var operation: String?
  /// The response path of the connection that has the pages; empty if it is to be found.
  var relay: String?

  static let keys = ["graphql", "graphql_file", "operation"]
  /// The settings of other calls that a GraphQL call can't have.
  static let excluded = ["safe", "body", "body_required", "content_type", "response_type"]
}

/// Reads the GraphQL operations of calls. (GQL-40 to GQL-48)
extension APIDeclaration {
  /// Reads the file-level setting `graphql`: the name of the file with the schema.
  func schemaFile(_ value: lull_value) throws(Misuse) -> String {
    let name = try value.text("graphql")
    guard let path = text.graphQL.path(of: name) else {
      throw .message(
        "'graphql' must be the name of a file with a schema in the folder of the API file, such as "
          + "\"\(self.name).graphql\", got '\(name)'")
    }
    return path
  }

  func read(_ key: String, _ value: lull_value, into declared: inout DeclaredGraphQL)
    throws(Misuse)
  {
    switch key {
    case "graphql", "graphql_file":
      guard declared.document == nil else {
        throw .message("'graphql' and 'graphql_file' cannot be combined: both are the document")
      }
      let text = try value.text(key)
      guard key == "graphql_file" else { return declared.document = .text(text) }
      guard self.text.graphQL.path(of: text) != nil else {
        throw .message(
          "'graphql_file' must be the path of a file in the folder of the API file, such as "
            + "\"queries/users.graphql\", got '\(text)'")
      }
      declared.document = .file(text)
    default: declared.operation = try value.text(key)
    }
  }

  /// Returns the operation of a call, or nil if the call is not a GraphQL call.
  func graphQL(
    _ declared: DeclaredGraphQL, of call: inout APICall, given: Set<String>, at: [String]
  ) throws(APIFileProblem) {
    func problem(_ key: String, _ text: String) -> APIFileProblem {
      self.problem(at + [key], "call '\(call.name)': \(text)")
    }
    guard let document = declared.document else {
      if declared.operation != nil {
        throw problem("operation", "'operation' needs 'graphql' or 'graphql_file'")
      }
      if declared.relay != nil {
        throw problem("pages", "'relay' needs 'graphql' or 'graphql_file'")
      }
      return
    }
    if let key = DeclaredGraphQL.excluded.first(where: { given.contains($0) }) {
      throw problem(
        key, "'\(key)' cannot be combined with 'graphql': the operation determines the request")
    }
    if !given.contains("path") { call.path = "/graphql" }
    let graphQL = try operation(of: document, declared.operation, of: call.name, at: at)
    let kind = graphQL.operation.kind
    if given.contains("method") {
      let isPossible = call.method == .post || call.method == .query && kind == .query
      guard isPossible else {
        throw problem(
          "method",
          "a GraphQL \(kind.rawValue) is sent by POST"
            + (kind == .query ? " or QUERY" : "") + ", not by \(call.method)")
      }
      call.choosesMethod = true
    } else {
      call.method = .post
    }
    call.isSafe = call.method == .post && graphQL.isSafe
    if let relay = declared.relay {
      let connection = try connection(relay, of: graphQL, call.name, at: at)
      call.pages?.setRelay(connection)
      if call.rows == nil { call.rows = connection.rowPath }
    }
    call.graphQL = graphQL
  }

  private func operation(
    of document: DeclaredGraphQL.Document, _ wanted: String?, of call: String, at: [String]
  ) throws(APIFileProblem) -> GraphQLCall {
    let origin: DocumentOrigin
    let parsed: GraphQLDocument
    let key: String
    switch document {
    case .file(let name):
      key = "graphql_file"
      do throws(GraphQLFileProblem) {
        parsed = try text.graphQL.document(name)
        let file = text.graphQL.path(of: name) ?? name
        origin = DocumentOrigin(try GraphQLFiles.bytes(file), file: file)
      } catch {
        throw .declaration(
          error.place.line > 0 ? error.place : line(at + [key]),
          "call '\(call)': \(shown(error))")
      }
    case .text(let text):
      key = "graphql"
      let place = places.lineOfText(of: at + [key]) ?? (places.line(of: at + [key]), false)
      let source = Array(text.utf8)
      origin = DocumentOrigin(source, file: path, line: place.line, hasLines: place.isLong)
      do throws(GraphQLProblem) {
        parsed = try GraphQLDocument(source, name: path)
      } catch {
        let problem = GraphQLFileProblem(error.message, error.place, of: origin)
        throw .declaration(problem.place, "call '\(call)': \(shown(problem))")
      }
    }
    let schema = try schema(for: parsed, of: call, at: at + [key])
    let operations = parsed.operations(schema: schema)
    func problem(_ key: String, _ text: String) -> APIFileProblem {
      self.problem(at + [key], "call '\(call)': \(text)")
    }
    guard let first = operations.first else {
      throw problem(key, "the document has no operation")
    }
    let names = operations.compactMap(\.name)
    let operation: GraphQLOperation
    if let wanted {
      guard let found = operations.first(where: { $0.name == wanted }) else {
        let near = NearestName.suggestion(for: wanted, among: names)
        throw problem(
          "operation",
          "the document has no operation '\(wanted)'"
            + (near.map { " (did you mean '\($0)'?)" }
              ?? (names.isEmpty ? "" : "; it has \(names.joined(separator: ", "))")))
      }
      operation = found
    } else {
      guard operations.count == 1 else {
        throw problem(
          key,
          "the document has several operations (\(names.joined(separator: ", "))): choose one with "
            + "'operation'")
      }
      operation = first
    }
    return GraphQLCall(operation, of: parsed, origin)
  }

  /// The text of a problem. Error reports show the line of the file anyway.
  private func shown(_ problem: GraphQLFileProblem) -> String {
    checker == nil ? problem.message : problem.text
  }

  /// Returns the schema if a variable of the document has a type that only the schema explains.
  private func schema(
    for document: GraphQLDocument, of call: String, at: [String]
  ) throws(APIFileProblem) -> GraphQLSchema? {
    let known: Set = ["String", "ID", "Int", "Float", "Boolean"]
    let needs = document.operations().contains { operation in
      operation.variables.contains { !known.contains($0.type.name) }
    }
    guard needs || checker != nil else { return nil }
    do throws(GraphQLFileProblem) {
      return try text.graphQL.schema()
    } catch {
      // The checker reports the schema once, for the whole file.
      if checker != nil { return nil }
      throw .declaration(error.place, "call '\(call)': \(shown(error))")
    }
  }

  private func connection(
    _ path: String, of graphQL: GraphQLCall, _ call: String, at: [String]
  ) throws(APIFileProblem) -> GraphQLOperation.Connection {
    func problem(_ text: String) -> APIFileProblem {
      self.problem(at + ["pages"], "call '\(call)': \(text)")
    }
    let all = graphQL.operation.connections
    let possible = all.filter { !$0.isInList }
    let names = possible.map { $0.path.joined(separator: ".") }
    guard !possible.isEmpty else {
      throw problem(
        all.isEmpty
          ? "pages = \"relay\" needs a connection: a field with the argument after: $variable that "
            + "selects pageInfo { hasNextPage endCursor }"
          : "pages = \"relay\" needs a connection that is not in a list")
    }
    if path.isEmpty {
      guard possible.count == 1 else {
        throw problem(
          "the operation has several connections: choose the one with the pages, such as "
            + "pages = { relay = \"\(names[0])\" } (there are \(names.joined(separator: ", ")))")
      }
      return possible[0]
    }
    guard let index = names.firstIndex(of: path) else {
      let near = NearestName.suggestion(for: path, among: names)
      throw problem(
        "there is no connection '\(path)'"
          + (near.map { " (did you mean '\($0)'?)" }
            ?? "; there are \(names.joined(separator: ", "))"))
    }
    return possible[index]
  }

  private func line(_ keys: [String]) -> SourcePlace {
    SourcePlace(file: path, line: places.line(of: keys))
  }

  // MARK: Parameters

  /// Returns the parameters of a GraphQL call: its variables, with the settings that `params` has for
  /// them, in the order of the operation, and the parameters in other places.
  func variables(
    of graphQL: GraphQLCall, _ declared: [DeclaredParameter], _ call: APICall, at: [String]
  ) throws(APIFileProblem) -> [DeclaredParameter] {
    var rest = declared
    var found: [DeclaredParameter] = []
    for variable in graphQL.operation.variables {
      let standard = CallParameter(variable)
      guard
        let index = rest.firstIndex(where: { graphQL.variable(of: $0)?.name == variable.name })
      else {
        found.append(DeclaredParameter(parameter: standard))
        continue
      }
      var one = rest.remove(at: index)
      one.place = .body
      one.parameter.description = one.parameter.description ?? standard.description
      if one.parameter.standard == nil, variable.isRequired { one.parameter.isRequired = true }
      found.append(one)
    }
    let inPath = Set(APICall.names(inPath: call.path))
    for one in rest {
      let isElsewhere = one.place.map { $0 != .body } ?? inPath.contains(one.parameter.name)
      guard !isElsewhere else { continue }
      let names = graphQL.operation.variables.map(\.name)
      let name = one.wireName ?? one.parameter.name
      let near = NearestName.suggestion(for: name, among: names)
      throw problem(
        at + ["params", one.parameter.name],
        "call '\(call.name)': the operation has no variable '\(name)'"
          + (near.map { " (did you mean '\($0)'?)" }
            ?? (names.isEmpty
              ? "; it has none" : "; it has \(names.joined(separator: ", "))"))
      )
    }
    return found + rest
  }
}

extension GraphQLCall {
  /// Returns the variable that a declared parameter sets; nil if the parameter is not a variable.
  func variable(of declared: DeclaredParameter) -> GraphQLOperation.Variable? {
    guard (declared.place ?? .body) == .body else { return nil }
    let name = declared.wireName ?? declared.parameter.name
    return operation.variables.first { $0.name == name }
  }
}

extension GraphQLOperation.Connection {
  /// The path of the rows, relative to `data`; nil if the operation selects neither `nodes` nor
  /// `edges`.
  fileprivate var rowPath: String? { rows.map { (path + [$0]).joined(separator: ".") } }
}

extension LuaPages.Options {
  /// Sets the rule that finds the next page of a connection. (GQL-45)
  fileprivate mutating func setRelay(_ connection: GraphQLOperation.Connection) {
    func pointer(_ names: [String]) -> FieldPath {
      FieldPath(names.map { "/" + $0 }.joined())
    }
    next = .cursor(
      PageCursor(
        parameter: "/variables/\(connection.variable)",
        field: pointer(connection.path + connection.endCursor),
        more: pointer(connection.path + connection.hasNextPage)))
  }
}

/// Validates operations for `lull check`. (GQL-48)
extension APIDeclaration {
  func inspect(_ graphQL: GraphQLCall, of call: APICall, at: [String], _ checker: APIFileChecker) {
    let schema: GraphQLSchema
    do throws(GraphQLFileProblem) {
      guard let found = try text.graphQL.schema() else {
        return checker.note(
          "the GraphQL operations are not validated: name the file with the schema, such as "
            + "graphql = \"\(name).graphql\"", at: line(["calls"]), isFinding: false)
      }
      schema = found
    } catch {
      return checker.note(error.text, at: error.place.line > 0 ? error.place : line(["graphql"]))
    }
    for problem in text.graphQL.schemaProblems.prefix(Self.mostSchemaProblems) {
      checker.note("in the schema: \(problem.text)", at: problem.place, isFinding: false)
    }
    // The problems of a document are found again for each of its operations, and recorded once.
    let validation = schema.validate(graphQL.document)
    for problem in validation.problems {
      let shown = GraphQLFileProblem(problem.message, problem.place, of: graphQL.origin)
      checker.note(shown.text, at: shown.place)
    }
    for deprecation in validation.deprecations {
      let shown = GraphQLFileProblem(
        "\(deprecation.element) is deprecated: \(deprecation.reason)", deprecation.place,
        of: graphQL.origin)
      checker.note(shown.text, at: shown.place, isFinding: false)
    }
  }

  private static var mostSchemaProblems: Int { 20 }
}
