import LullArguments
import LullCore

extension Command {
  static let `import` = Command(
    "import", "write an API file from a description", .describe,
    forms: [
      ("import KIND FILE", "write an API file from openapi, curl, har …"),
      ("import openapi FILE", "from an OpenAPI document"),
      ("import curl 'curl …'", "from a curl command, or add a call to a file"),
      ("import har FILE", "from requests that a browser has recorded"),
      ("import postman FILE", "from a Postman collection"),
      ("import graphql SOURCE", "from a GraphQL server or schema"),
    ],
    spec: { ImportCommand.spec }, words: .kindsAndFiles(ImportCommand.kinds.map(\.name))
  ) { words, command throws(CommandEnd) in
    try ImportCommand.run(words.dropFirst(), for: command)
  }
}

/// `lull import`: creates API files from other formats.
enum ImportCommand {
  /// The formats, keyed by the word after `import`.
  fileprivate static let kinds:
    [(name: String, run: @Sendable (ParsedArguments, Command) throws(CommandEnd) -> Int32)] = [
      ("openapi", OpenAPICommand.run), ("curl", RequestsCommand.run(.curl)),
      ("har", RequestsCommand.run(.har)), ("postman", RequestsCommand.run(.postman)),
      ("graphql", GraphQLCommand.run),
    ]

  static var spec: ArgumentSpec {
    var spec = ArgumentSpec(
      name: "lull import",
      description: """
        Writes an API file from a description of an API.

        openapi reads an OpenAPI document (3.0 to 3.2, or Swagger 2.0; JSON or YAML).
        curl reads a curl command, as browsers copy it, and adds a call to the file. har
        reads an HTTP Archive with the requests of one host. postman reads a collection
        (v2.0 or v2.1). graphql reads the schema of a server (the URL of its endpoint),
        a schema file (SDL), or the result of an introspection, and writes a call for
        each operation of --operations, otherwise for each query, mutation and
        subscription. Without KIND, Lull detects the kind.

        Credentials become secrets read from environment variables. Anything that cannot
        be imported is reported. Edit the file as you like: a later import keeps your
        changes and adds those of the document. If both have changed the same setting,
        nothing is written. An existing file is only overwritten if lull import wrote
        it. The files NAME.schemas.json and NAME.lua.imported belong to the API file, as
        do NAME.graphql and the operations in the folder NAME.
        """,
      arguments: [
        .init(
          positional: "KIND", help: "The kind: openapi, curl, har, postman or graphql.",
          isRequired: true),
        .init(
          positional: "FILE",
          help: "A file, a URL (openapi, graphql), a command (curl), or - for stdin.",
          isRequired: true),
        .init(
          names: ["-o", "--output"], placeholder: "FILE", demand: apiFile,
          help: "Write this API file (default apis/NAME.lua).", isCommon: true),
        only,
        .init(
          names: ["--base-url"], placeholder: "URL", demand: baseURL,
          help: "Set the base URL of the API.",
          details: "Replaces the base URL of the document. For graphql, the URL of the endpoint.",
          isCommon: true),
        .init(
          names: ["--with-mock"], kind: .flag, help: "Add an environment 'mock' for lull mock.",
          details: "Later imports into the file add it too.", isCommon: true),
      ] + graphQL,
      examples: [
        "lull import openapi petstore.yaml -o apis/petstore.lua",
        "lull import openapi https://example.com/openapi.json --only '/orders*'",
        "lull import openapi petstore.yaml -o apis/petstore.lua --with-mock",
        #"lull import curl 'curl -H "X-Key: $KEY" https://example.com/a' -o apis/a.lua"#,
        "lull import har session.har -o apis/shop.lua --only https://api.example.com/v2",
        #"lull import graphql https://api.example.com/graphql -H "X-Key: $KEY""#,
        "lull import graphql schema.graphql --base-url https://example.com/graphql",
      ],
      exitCodes: [
        .init(0, "imported"),
        .init(1, "conflicting changes"),
        .init(2, "wrong usage"),
        .init(3, "invalid input"),
      ])
    spec.manual = "lull help import"
    return spec
  }

  private static let graphQL: [Argument] = [
    .init(
      names: ["--operations"], placeholder: "FILE", demand: .fileName, category: "GraphQL",
      help: "Write calls for the operations of this document.",
      details: """
        A document in the folder of the API file stays in its place. Others are copied. Without this option, \
        operations are generated.
        """, isRepeated: true, isCommon: true),
    .init(
      names: ["--depth"], kind: .integer, placeholder: "N", demand: .wholeNumber(1...20),
      category: "GraphQL", help: "Select fields down to this depth (default 2).",
      details: "An operation that would be too large gets a smaller depth.", isCommon: true),
    .init(
      names: ["-H", "--header"], placeholder: "'K: V'", category: "GraphQL",
      help: "Send a header with the introspection and with all calls.",
      details: "A credential becomes a secret in the file.", isRepeated: true, isCommon: true),
    .init(
      names: ["-a", "--auth"], placeholder: "USER[:PASSWORD]", category: "GraphQL",
      help: "Set the credentials of the introspection and of all calls.",
      details: "A password that is left out is requested on the terminal."),
    .init(
      names: ["-A", "--auth-type"], placeholder: "KIND", choices: ["basic", "bearer", "digest"],
      category: "GraphQL", help: "Set the type of the credentials.",
      details: "The default is basic. With bearer, -a is a token.", rules: [.needs("-a")]),
  ]

  private static let apiFile = Argument.Demand("the name of an API file, which ends in .lua") {
    $0.hasSuffix(".lua") && !$0.hasSuffix("/.lua") && $0 != ".lua"
  }

  private static let baseURL = Argument.Demand("a URL such as https://api.example.com/v1") {
    ResourceURL.base($0).map { !$0.host.isEmpty && $0.scheme.hasPrefix("http") } ?? false
  }

  private static var only: Argument {
    var only = OptionTable.only
    only.isCommon = true
    only.details = """
      Matches the operationId, the tag or the path of a call; * and ? are wildcards. Later imports use the same \
      patterns; '*' selects all calls again.
      """
    return only
  }

  static func run(_ words: ArraySlice<String>, for command: Command) throws(CommandEnd) -> Int32 {
    var words = words
    if let word = words.first, !word.hasPrefix("-"), !kinds.contains(where: { $0.name == word }),
      words.dropFirst().first?.hasPrefix("-") ?? true
    {
      // Only the document was given.
      words = [try kind(of: word)] + words
    }
    let parsed = try spec.read(words, for: command)
    guard let kind = kinds.first(where: { $0.name == parsed.text("KIND") }) else {
      let names = kinds.map(\.name).joined(separator: ", ")
      throw .wrongUsage(
        "cannot import '\(parsed.text("KIND") ?? "")'; the kinds are \(names)", command)
    }
    if kind.name != "graphql", let option = graphQL.first(where: { parsed.isGiven($0.names[0]) }) {
      throw .wrongUsage("\(option.names[0]) can only be used with graphql", command)
    }
    return try kind.run(parsed, command)
  }

  /// The format of a document, detected from its name or content.
  private static func kind(of word: String) throws(CommandEnd) -> String {
    if word.hasPrefix("curl ") { return "curl" }
    if word.hasPrefix("http://") || word.hasPrefix("https://") { return "openapi" }
    let bytes: [UInt8]
    do throws(InputFile.Unreadable) {
      bytes = try InputFile.read(word)
    } catch {
      throw .wrongUsage(error.message, .import)
    }
    if [".graphql", ".graphqls", ".gql"].contains(where: { word.hasSuffix($0) }) {
      return "graphql"
    }
    // The names that each format has near its beginning.
    let text = String(decoding: bytes.prefix(65536), as: UTF8.self)
    if text.contains("getpostman.com") { return "postman" }
    if text.contains("\"__schema\"") { return "graphql" }
    if text.contains("openapi") || text.contains("swagger") { return "openapi" }
    if text.contains("\"log\"") { return "har" }
    throw .wrongUsage(
      "\(InputFile.shownName(word)): unknown kind of document: write lull import KIND FILE, with "
        + WordList.text(kinds.map(\.name)), .import)
  }
}
