import LullArguments
import LullClients
import LullCore
import LullGraphQL
import LullHost
import LullImport
import LullSystem

/// A GraphQL schema that a command reads: from a server, a schema file (SDL), or the result of an
/// introspection.
struct GraphQLSource {
  struct Schema {
    let schema: GraphQLSchema
    /// The schema as a document. A document without errors is kept unchanged.
    let text: [UInt8]
    /// The errors of the schema, which can be used nevertheless.
    let notes: [String]
  }

  private static let mostNotes = 10

  /// The URL, the path, or `-`.
  let word: String
  let headers: [(name: String, value: String)]
  private(set) var auth: AuthOption?

  /// - Parameter word: The value of the option or argument that names the schema.
  init(_ word: String, _ parsed: ParsedArguments, _ command: Command) throws(CommandEnd) {
    self.word = word
    var headers: [(name: String, value: String)] = []
    for text in parsed.all("-H") {
      let (name, value) = try CallOptions.header(text, for: command)
      if let value { headers.append((name, value)) }
    }
    self.headers = headers
    auth = try AuthOption(parsed, for: command)
    guard auth != nil, headers.contains(where: { $0.name.lowercased() == "authorization" }) else {
      return
    }
    throw .wrongUsage("-a cannot be combined with a header Authorization", command)
  }

  /// Prompts for a missing secret. Returns the exit code if that fails, otherwise `nil`.
  mutating func complete() -> Int32? { auth?.complete() }

  /// Reads the schema and uses it. Returns the exit code: 3 if the schema cannot be read.
  func read(_ use: (Schema) -> Int32) -> Int32 {
    guard OpenAPICommand.isURL(word) else {
      return report { () throws(DocumentProblem) in use(try file()) }
    }
    // A server needs the network, which needs an event loop.
    return CallRun.run(folder: nil) { host in
      report { () throws(DocumentProblem) in
        use(Schema(of: try introspected(by: host), notes: []))
      }
    }
  }

  private func report(_ body: () throws(DocumentProblem) -> Int32) -> Int32 {
    do throws(DocumentProblem) {
      return try body()
    } catch {
      Exit.complain("lull: \(ControlCharacters.shownInLine(error.description))\n")
      return 3
    }
  }

  // MARK: Files

  private var shownName: String { InputFile.shownName(word) }

  private func file() throws(DocumentProblem) -> Schema {
    let bytes: [UInt8]
    do throws(InputFile.Unreadable) {
      bytes = try InputFile.read(word, limit: DocumentSet.largest)
    } catch {
      throw DocumentProblem(error.message)
    }
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    guard let first else { throw DocumentProblem("the schema is empty", file: shownName) }
    guard first != UInt8(ascii: "{") else {
      return Schema(of: try GraphQLSource.introspection(bytes, name: shownName), notes: [])
    }
    let document: GraphQLDocument
    do throws(GraphQLProblem) {
      document = try GraphQLDocument(bytes, name: shownName)
    } catch {
      throw DocumentProblem("\(error.place): \(error.message)")
    }
    guard document.hasTypeSystemDefinitions else {
      throw DocumentProblem(
        "the document defines no types: a schema is expected here, and operations are given by "
          + "--operations", file: shownName)
    }
    let (schema, problems) = GraphQLSchema.reading([document])
    guard !problems.isEmpty else { return Schema(schema: schema, text: bytes, notes: []) }
    var notes = problems.prefix(GraphQLSource.mostNotes).map { "\($0.place): \($0.message)" }
    if problems.count > notes.count {
      notes.append("\(shownName): \(problems.count - notes.count) other errors")
    }
    return Schema(of: schema, notes: notes)
  }

  private static func introspection(_ bytes: [UInt8], name: String) throws(DocumentProblem)
    -> GraphQLSchema
  {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes)
    } catch {
      throw DocumentProblem("invalid JSON: \(error.message)", file: name)
    }
    do throws(ImportProblem) {
      return try IntrospectionReader.schema(of: document)
    } catch {
      throw DocumentProblem(error.description, file: name)
    }
  }

  // MARK: Servers

  /// Asks a server for its schema. If it refuses a query, asks for less.
  private func introspected(by host: LuaHost) throws(DocumentProblem) -> GraphQLSchema {
    let shown = LogText.url(word)
    let resource = try self.resource(of: host)
    var refusal = "the server does not return its schema"
    for query in IntrospectionQuery.all {
      let body = JSONValue.object([
        .init("query", .string(query.text)), .init("operationName", .string("IntrospectionQuery")),
      ])
      let request: Request
      do throws(RequestError) {
        request = try resource.query(json: body, method: .post).load()
      } catch {
        throw DocumentProblem(error.summary, file: shown)
      }
      guard let response = host.loop.finish(request) else {
        throw DocumentProblem("the introspection was interrupted", file: shown)
      }
      let entity = response.entity ?? response.error?.entity
      let bytes: [UInt8]? =
        switch entity?.content {
        case .bytes(let bytes)?: bytes
        case .text(let text)?: Array(text.utf8)
        default: nil
        }
      let document = bytes.flatMap { try? JSONDocument(parsing: $0) }
      if response.error == nil, let document, document.root["data"]?["__schema"]?.kind == .object {
        do throws(ImportProblem) {
          return try IntrospectionReader.schema(of: document)
        } catch {
          throw DocumentProblem(error.description, file: shown)
        }
      }
      guard let document, let message = IntrospectionReader.errorMessage(of: document),
        GraphQLSource.isRefusal(response.error?.httpStatusCode)
      else {
        let reason = document.flatMap { IntrospectionReader.errorMessage(of: $0) }
        throw DocumentProblem(
          response.error.map { $0.summary + (reason.map { ": \($0)" } ?? "") }
            ?? "the response is not that of a GraphQL server", file: shown)
      }
      refusal = "the server does not return its schema: \(message)"
    }
    throw DocumentProblem(refusal, file: shown)
  }

  /// Whether another query may get another response.
  private static func isRefusal(_ status: Int?) -> Bool {
    switch status {
    case nil, 400?, 422?, 500?: true
    default: false
    }
  }

  private func resource(of host: LuaHost) throws(DocumentProblem) -> Resource {
    let api: APIFile
    do throws(APIFileProblem) {
      api = try host.part(APIFiles.self).api(atURL: word)
    } catch {
      throw DocumentProblem("this is not a URL", file: LogText.url(word))
    }
    api.service.configure(
      nil, requestMethods: nil, description: "introspection",
      source: SourcePlace(file: "lull", line: 0)
    ) { settings in
      settings.pipeline.clear()
      settings.limits.maxBodySize = DocumentSet.largest
      settings.headers["Accept"] = "application/graphql-response+json, application/json;q=0.9"
      for (name, value) in headers { settings.headers[name] = value }
      if let auth { settings.auth = auth.auth }
    }
    return api.service.resource(absoluteURL: word)
  }
}

extension GraphQLSource.Schema {
  /// A schema without a document that can be kept.
  fileprivate init(of schema: GraphQLSchema, notes: [String]) {
    self.init(schema: schema, text: Array(schema.sdl.utf8), notes: notes)
  }
}
