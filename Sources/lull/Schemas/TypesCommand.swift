import LullLibC
import LullArguments
import LullClients
import LullCore
import LullHost
import LullSchemas
import LullSystem

extension Command {
  static let types = Command(
    "types", "write annotations for editors of what an API takes and answers", .requests,
    forms: [("types API", "write annotations of an API for editors")],
    spec: { TypesCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try TypesCommand(words.dropFirst()).run() }
}

/// `lull types API`: classes for lua-language-server, from schemas or from traffic.
struct TypesCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull types",
      description: """
        Writes annotations (LuaCATS) for editors: classes of what the calls of an API file take, of what
        they give, and of the API, so that lull.api("github") completes its calls and their content.

        What content has is known from the file of schemas beside the API file (github.schemas.json beside
        github.lua), or, with --from-cache or --from-har, from answers that came before. Of those names of
        fields and types are written, never values, and no keys that are content themselves. A field may be
        missing if it was missing once; of a call with one answer nobody knows. What was seen is kept as a file
        of schemas as well, unless there is one of another origin, for the validator and lull drift.

        The file is written whole. One that lull types has not written is left as it is. The API file is
        looked at as by lull check, in the environment of github@prod, where that is typed: of that the
        traffic is then, and the types are for all environments of the file.
        """,
      arguments: [
        .init(positional: "API", help: "an API by name, or an API file", isRequired: true)
      ] + TrafficOptions.arguments + [
        .init(
          names: ["-o", "--output"], placeholder: "FILE",
          help: "where they are written: types/NAME.lua beside the API file, unless given; - for "
            + "standard output")
      ],
      notes: """
        Examples:
          lull types github
          lull types github --from-har tests/cassettes/repos.har
          lull types apis/shop.lua --from-cache -o types/shop.lua
          lull types shop@staging --from-har tests/cassettes/staging.har

        """)
  }

  private let word: String
  private let sources: TrafficOptions
  private let output: String?

  /// - Parameter words: what follows `types`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try TypesCommand.spec.read(words, for: .types)
    word = parsed.text("API") ?? ""
    sources = TrafficOptions(parsed)
    output = parsed.text("-o")
    if output == "" { throw .wrongUsage("-o needs the name of a file, or -", .types) }
  }

  func run() -> Int32 {
    do throws(CommandFailure) {
      let api = try SeenAPI.look(word).get()
      let target = output ?? "\(api.folder)/types/\(api.name).lua"
      if target != "-" { try TypesCommand.requireOwn(target) }
      let (schemas, notes, seen) = sources.isEmpty ? try known(of: api) : try seen(of: api)
      let text: String
      do throws(SchemaProblem) {
        let place = api.environment.map { ["As it is in the environment '\($0)'."] } ?? []
        text = try TypeFile(
          api: api.name, environments: api.environments, calls: api.calls, schemas: schemas,
          notes: place + notes
        ).text
      } catch {
        throw CommandFailure(code: 3, message: "lull: \(error)\n")
      }
      guard target != "-" else { return Output.write(text) ? 0 : 1 }
      try TypesCommand.makeFolder(of: target)
      if let seen { try keep(seen, of: api) }
      try TypesCommand.write(Array(text.utf8), to: target)
      TypesCommand.tell("\(target): \(TypesCommand.counted(api.calls.count, "call"))")
      return 0
    } catch {
      return error.tell()
    }
  }

  // MARK: Schemas

  /// Those of the file beside the API file.
  private func known(of api: SeenAPI) throws(CommandFailure)
    -> (SchemaFile?, notes: [String], seen: [UInt8]?)
  {
    do throws(SchemaProblem) {
      if let schemas = try api.schemas() {
        let name = api.schemasPath.split(separator: "/").last ?? ""
        return (schemas, ["From \(name)."], nil)
      }
    } catch {
      throw CommandFailure(code: 3, message: "lull: \(error)\n")
    }
    Exit.complain(
      "lull: there is no \(api.schemasPath): what content has is not known; --from-cache or "
        + "--from-har take it from answers that came before\n")
    return (nil, [], nil)
  }

  /// Those of traffic, which are to be written, too.
  private func seen(of api: SeenAPI) throws(CommandFailure)
    -> (SchemaFile?, notes: [String], seen: [UInt8]?)
  {
    let traffic = try sources.traffic(of: api)
    var shapes = TrafficShapes()
    for exchange in traffic.exchanges {
      guard let call = api.call(of: exchange) else { continue }
      if case .json(let document) = exchange.body {
        shapes.add(document.root, to: .response(String(exchange.status)), of: call)
      }
      if let sent = exchange.sent { shapes.add(sent.root, to: .body, of: call) }
    }
    guard !shapes.isEmpty else {
      throw CommandFailure(
        code: 3,
        message:
          "lull: there is no JSON of \(api.shownBase) there for any of its calls\(traffic.shownOthers)\n"
      )
    }
    let names = api.calls.map(\.name)
    let bytes: [UInt8]
    let schemas: SchemaFile
    do {
      bytes = try shapes.schemas(in: names).encoded()
      schemas = try SchemaFile(bytes, name: api.schemasPath)
    } catch {
      throw CommandFailure(code: 1, message: "lull: \(error)\n")
    }
    return (schemas, TypesCommand.notes(on: shapes, names), bytes)
  }

  private static func notes(on shapes: TrafficShapes, _ calls: [String]) -> [String] {
    let counts = calls.map { (name: $0, count: shapes.count(of: $0)) }.filter { $0.count > 0 }
    var notes = [
      "From traffic: " + counts.map { "\($0.name) (\($0.count))" }.joined(separator: ", ") + "."
    ]
    let single = shapes.calls(withOneSampleAmong: calls)
    if !single.isEmpty {
      notes.append(
        "One answer only, so that fields are not known to be optional: "
          + single.joined(separator: ", ") + ".")
    }
    return notes
  }

  /// Keeps what was seen for the validator and `lull drift`, unless something better is there.
  private func keep(_ bytes: [UInt8], of api: SeenAPI) throws(CommandFailure) {
    let path = api.schemasPath
    if FileName.resolved(path) != nil {
      guard case .success(let old) = TextFile.read(Array(path.utf8)),
        InferredSchemas.isInferred(old)
      else {
        Exit.complain("lull: \(path) stays as it is: it is not from traffic\n")
        return
      }
    }
    try TypesCommand.write(bytes, to: path)
    TypesCommand.tell("\(path): what was seen")
  }

  // MARK: Files

  private static func requireOwn(_ path: String) throws(CommandFailure) {
    guard access(path) else { return }
    guard case .success(let bytes) = TextFile.read(Array(path.utf8)) else {
      throw CommandFailure(code: 1, message: "lull: '\(path)' is no file that can be written\n")
    }
    guard bytes.isEmpty || TypeFile.isWritten(bytes) else {
      throw CommandFailure(
        code: 1,
        message:
          "lull: '\(path)' was not written by lull types, and is left as it is; take another "
          + "name with -o\n")
    }
  }

  private static func access(_ path: String) -> Bool {
    FileName.resolved(path) != nil || FileName.isLink(Array(path.utf8))
  }

  private static func makeFolder(of path: String) throws(CommandFailure) {
    let folder = FileName.folder(of: path)
    guard let code = FolderMaking.make(Array(folder.utf8)) else { return }
    throw CommandFailure(
      code: 1, message: "lull: cannot make the folder '\(folder)': \(ErrorText.of(code))\n")
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    // What a link leads to is replaced, not the link.
    let target = FileName.resolved(Array(path.utf8)) ?? Array(path.utf8)
    guard let code = AtomicFile.write(bytes, to: target, .usual) else { return }
    throw CommandFailure(
      code: 1, message: "lull: cannot write '\(path)': \(ErrorText.of(code))\n")
  }

  // MARK: Words

  private static func tell(_ line: String) { _ = Output.write(line + "\n") }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
