import LullArguments
import LullCore

extension Command {
  static let `import` = Command(
    "import", "make an API file of what describes the API", .more,
    forms: [
      ("import openapi FILE", "make an API file of an OpenAPI document"),
      ("import curl 'curl …'", "make one of a command line of curl, or add a call to it"),
      ("import har FILE", "make one of requests that a browser has recorded"),
      ("import postman FILE", "make one of a collection of Postman's"),
    ],
    spec: { ImportCommand.spec }, words: .kindsAndFiles(ImportCommand.kinds.map(\.name))
  ) { words, command throws(CommandEnd) in
    try ImportCommand.run(words.dropFirst(), for: command)
  }
}

/// `lull import`: makes API files of what others have written.
enum ImportCommand {
  /// What can be imported, by the word behind `import`.
  fileprivate static let kinds:
    [(name: String, run: @Sendable (ParsedArguments, Command) throws(CommandEnd) -> Int32)] = [
      ("openapi", OpenAPICommand.run), ("curl", RequestsCommand.run(.curl)),
      ("har", RequestsCommand.run(.har)), ("postman", RequestsCommand.run(.postman)),
    ]

  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull import",
      description: """
        Makes an API file of an OpenAPI document (3.0 or 3.1, JSON or YAML): its calls with their parameters,
        where they go, and what lets somebody in, which comes from the environment. The file is there to be
        edited; a second import into it keeps what was changed, and takes what the document has changed. Where
        both have changed the same, nothing is written.

        What cannot be called is told with its reason. Beside the file are its schemas (NAME.schemas.json), and
        what it was when it was imported (NAME.lua.imported), which belongs to it. A file that was not imported
        is not overwritten.

        Or of requests: a command line of curl, as browsers copy it, which is
        added to the calls that are there; an HTTP Archive of one host's requests, of which --only says what URLs
        begin with; a collection of Postman's (v2.0 or v2.1). What lets somebody in becomes a secret of the
        environment. What cannot be kept is told.
        """,
      arguments: [
        .init(
          positional: "KIND", help: "what is imported: openapi, curl, har or postman",
          isRequired: true),
        .init(
          positional: "FILE",
          help:
            "the document: a file, or of openapi a URL; of curl the command line; - is standard input",
          isRequired: true),
        .init(
          names: ["-o", "--output"], placeholder: "FILE", demand: apiFile,
          help: "Write this API file (default apis/NAME.lua)."),
        only,
        .init(
          "--base-url", placeholder: "URL", demand: baseURL,
          help: "Set the base URL of the API.", details: "Replaces that of the document."),
        .init(
          "--with-mock", kind: .flag, help: "Add an environment 'mock' for lull mock.",
          details: "Later imports into the file add it too."),
      ],
      notes: """
        Examples:
          lull import openapi petstore.yaml -o apis/petstore.lua
          lull import openapi https://api.example.com/openapi.json -o apis/shop.lua --only '/orders*'
          lull import openapi petstore.yaml -o apis/petstore.lua --with-mock
          lull import curl 'curl -H "X-Key: $SHOP_KEY" https://api.example.com/orders/7' -o apis/shop.lua
          lull import har session.har -o apis/shop.lua --only https://api.example.com/v2

        Exit codes: 0 imported, 1 conflicts with what was changed, 2 wrong usage, 3 a document or a file that is
        refused.

        """)
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
      patterns; '*' takes all calls again.
      """
    return only
  }

  static func run(_ words: ArraySlice<String>, for command: Command) throws(CommandEnd) -> Int32 {
    let parsed = try spec.read(words, for: command)
    guard let kind = kinds.first(where: { $0.name == parsed.text("KIND") }) else {
      let names = kinds.map(\.name).joined(separator: ", ")
      throw .wrongUsage(
        "there is no '\(parsed.text("KIND") ?? "")' to import; there is \(names)", command)
    }
    return try kind.run(parsed, command)
  }
}
