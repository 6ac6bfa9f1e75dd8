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
    ]

  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull import",
      description: """
        Writes an API file from a description of an API.

        openapi reads an OpenAPI document (3.0 to 3.2, or Swagger 2.0; JSON or YAML).
        curl reads a curl command, as browsers copy it, and adds a call to the file. har
        reads an HTTP Archive with the requests of one host. postman reads a collection
        (v2.0 or v2.1). Without KIND, Lull detects the kind.

        Credentials become secrets read from environment variables. Anything that cannot
        be imported is reported. Edit the file as you like: a later import keeps your
        changes and adds those of the document. If both have changed the same setting,
        nothing is written. An existing file is only overwritten if lull import wrote
        it. The files NAME.schemas.json and NAME.lua.imported belong to the API file.
        """,
      arguments: [
        .init(
          positional: "KIND", help: "The kind of the document: openapi, curl, har or postman.",
          isRequired: true),
        .init(
          positional: "FILE",
          help: "A file, a URL (openapi), a command (curl), or - for standard input.",
          isRequired: true),
        .init(
          names: ["-o", "--output"], placeholder: "FILE", demand: apiFile,
          help: "Write this API file (default apis/NAME.lua)."),
        only,
        .init(
          "--base-url", placeholder: "URL", demand: baseURL,
          help: "Set the base URL of the API.", details: "Replaces the base URL of the document."),
        .init(
          "--with-mock", kind: .flag, help: "Add an environment 'mock' for lull mock.",
          details: "Later imports into the file add it too."),
      ],
      examples: [
        "lull import openapi petstore.yaml -o apis/petstore.lua",
        "lull import openapi https://example.com/openapi.json --only '/orders*'",
        "lull import openapi petstore.yaml -o apis/petstore.lua --with-mock",
        #"lull import curl 'curl -H "X-Key: $KEY" https://example.com/a' -o apis/a.lua"#,
        "lull import har session.har -o apis/shop.lua --only https://api.example.com/v2",
      ],
      exitCodes: [
        .init(0, "imported"),
        .init(1, "conflicting changes"),
        .init(2, "wrong usage"),
        .init(3, "invalid input"),
      ])
  }

  private static let apiFile = Argument.Demand("the name of an API file, which ends in .lua") {
    $0.hasSuffix(".lua") && !$0.hasSuffix("/.lua") && $0 != ".lua"
  }

  private static let baseURL = Argument.Demand("a URL such as https://api.example.com/v1") {
    ResourceURL.base($0).map { !$0.host.isEmpty && $0.scheme.hasPrefix("http") } ?? false
  }

  private static var only: Argument {
    var only = OptionTable.only
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
    // The names that each format has near its beginning.
    let text = String(decoding: bytes.prefix(65536), as: UTF8.self)
    if text.contains("getpostman.com") { return "postman" }
    if text.contains("openapi") || text.contains("swagger") { return "openapi" }
    if text.contains("\"log\"") { return "har" }
    throw .wrongUsage(
      "\(InputFile.shownName(word)): unknown kind of document: write lull import KIND FILE, with "
        + WordList.text(kinds.map(\.name)), .import)
  }
}
