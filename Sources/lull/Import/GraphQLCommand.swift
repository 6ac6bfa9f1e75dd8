import LullArguments
import LullCore
import LullGraphQL
import LullHost
import LullImport
import LullSystem

/// `lull import graphql`: creates an API file from a GraphQL schema, or updates one.
struct GraphQLCommand {
  private var source: GraphQLSource
  private let path: [UInt8]
  private let only: [String]
  private let baseURL: String?
  private let depth: Int?
  private let operations: [String]
  private let wantsMock: Bool
  private let target: ImportTarget

  static func run(_ parsed: ParsedArguments, _ command: Command) throws(CommandEnd) -> Int32 {
    var command = try GraphQLCommand(parsed, command)
    return command.source.complete() ?? command.run()
  }

  private init(_ parsed: ParsedArguments, _ command: Command) throws(CommandEnd) {
    let word = parsed.text("FILE") ?? ""
    guard !word.isEmpty else { throw .wrongUsage("the name of the schema is empty", command) }
    source = try GraphQLSource(word, parsed, command)
    only = parsed.all("--only")
    wantsMock = parsed.has("--with-mock")
    baseURL = parsed.text("--base-url")
    depth = parsed.text("--depth").flatMap { Int($0) }
    operations = parsed.all("--operations")
    if depth != nil, !operations.isEmpty {
      throw .wrongUsage("--depth cannot be combined with --operations", command)
    }
    if InputFile.isStandardInput(word), operations.contains(where: InputFile.isStandardInput) {
      throw .wrongUsage("only the schema or one document can be standard input", command)
    }
    let output = parsed.text("--output") ?? GraphQLCommand.standardPath(for: word)
    path = Array(output.utf8)
    target = ImportTarget(output, of: "graphql")
  }

  private static func standardPath(for source: String) -> String {
    if OpenAPICommand.isURL(source), let url = ResourceURL(absolute: source) {
      return "apis/\(HostTitle.name(of: url.origin)).lua"
    }
    let last = source.split(separator: "/").last.map(String.init) ?? "api"
    var stem = last.split(separator: ".").first.map(String.init) ?? "api"
    if ["", "schema", "introspection"].contains(stem) || InputFile.isStandardInput(source) {
      stem = "api"
    }
    return "apis/\(stem).lua"
  }

  private var shownPath: String { String(escaping: path) }
  private var shownSource: String {
    OpenAPICommand.isURL(source.word)
      ? LogText.url(source.word) : InputFile.shownName(source.word)
  }

  private func run() -> Int32 {
    guard let files = target.open() else { return 3 }
    guard let endpoint = baseURL ?? (OpenAPICommand.isURL(source.word) ? source.word : nil) else {
      target.tell(
        "\(shownSource): a schema does not name its server: add --base-url URL with the URL of the endpoint"
      )
      return 3
    }
    let schemaName = "\(target.name).graphql"
    if files.edited(schemaName) != nil {
      target.tell(
        "\(target.folder)\(schemaName): the file was changed after the last import, and is left unchanged: "
          + "undo the change, or move the file away, and import again")
      return 3
    }
    var documents: [GraphQLImport.OperationFile] = []
    for word in operations {
      guard let document = document(word) else { return 3 }
      documents.append(document)
    }
    return source.read { run($0, endpoint, documents, schemaName, files) }
  }

  private func document(_ word: String) -> GraphQLImport.OperationFile? {
    do throws(InputFile.Unreadable) {
      let bytes = try InputFile.read(word)
      return GraphQLImport.OperationFile(
        shownName: InputFile.shownName(word), bytes: bytes, place: place(of: word))
    } catch {
      target.tell(error.message)
      return nil
    }
  }

  /// The path of a document relative to the folder of the API file. `nil` if it is elsewhere.
  private func place(of word: String) -> String? {
    guard !InputFile.isStandardInput(word),
      let folder = FileName.resolved(FileName.folder(of: path)),
      let file = FileName.resolved(Array(word.utf8)),
      file.starts(with: folder + [UInt8(ascii: "/")])
    else { return nil }
    // Copies of an earlier import are in the folder, too.
    return String(validating: file.dropFirst(folder.count + 1), as: UTF8.self)
  }

  private func run(
    _ found: GraphQLSource.Schema, _ endpoint: String,
    _ documents: [GraphQLImport.OperationFile], _ schemaName: String, _ files: ImportedFiles
  ) -> Int32 {
    let patterns =
      only.isEmpty ? files.base.map { ImportOrigin.only(in: $0) } ?? [] : only == ["*"] ? [] : only
    var options = GraphQLImport.Options(endpoint: endpoint, name: target.name)
    options.only = patterns.map { NamePattern($0) }
    options.folder = target.folder
    if let depth { options.depth = depth }
    options.headers = source.headers
    switch source.auth?.kind {
    case .bearer?:
      options.headers.append(("Authorization", "Bearer \(source.auth?.secret ?? "")"))
    case let kind?:
      options.user = "\(source.auth?.user ?? ""):\(source.auth?.secret ?? "")"
      options.isDigest = kind == .digest
    case nil: break
    }
    options.taken = CallPage.taken(hasPages: true)
    options.operations = documents
    options.edited = { files.edited($0) }
    let result = GraphQLImport.read(found.schema, options)
    var api = result.api
    api.notes = found.notes.map { ControlCharacters.shownInLine($0) } + api.notes
    guard !api.calls.isEmpty else {
      guard patterns.isEmpty || !api.leftOut.isEmpty else {
        let shown = patterns.map { "'\($0)'" }.joined(separator: ", ")
        target.tell("\(shown) matches no call and no kind of operation of the schema")
        return 2
      }
      let reason = api.leftOut.isEmpty ? ": the schema has no operations" : ""
      target.tell("\(shownSource): no call can be imported\(reason)")
      target.tellNotes(of: api)
      return 3
    }
    let hasMock = wantsMock || files.base.map { ImportOrigin.hasMock(in: $0) } ?? false
    if hasMock { api.addMock() }
    api.origin = origin(of: api, patterns, hasMock: hasMock).lines
    if result.schemas != nil {
      let schemas = ImportedFiles.schemas(of: path)
      api.schemas = String(
        escaping: schemas.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? schemas)
    }
    var others = result.files
    // The schema may be the file that the API file refers to.
    if place(of: source.word) != schemaName {
      others.insert(ImportedFile(name: schemaName, bytes: found.text), at: 0)
    }
    let new = Array(APIFileWriter.text(of: api).utf8)
    let code = target.write(api, new, files, schemas: result.schemas, others: others)
    if code == 0, wantsMock { target.tellMock() }
    return code
  }

  private func origin(of api: ImportedAPI, _ patterns: [String], hasMock: Bool) -> ImportOrigin {
    var words = ["graphql", OpenAPICommand.withoutCredentials(source.word), "-o", shownPath]
    if let baseURL { words += ["--base-url", OpenAPICommand.withoutCredentials(baseURL)] }
    if let depth { words += ["--depth", String(depth)] }
    for file in operations { words += ["--operations", file] }
    if hasMock { words.append("--with-mock") }
    for case (let name, .plain(let value)) in api.headers { words += ["-H", "\(name): \(value)"] }
    return ImportOrigin(words: words, only: patterns, access: api.access)
  }
}
