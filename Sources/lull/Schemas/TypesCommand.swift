import LullLibC
import LullArguments
import LullClients
import LullCore
import LullHost
import LullSchemas
import LullSystem

extension Command {
  static let types = Command(
    "types", "write editor annotations for an API", .describe,
    forms: [("types API", "write editor annotations for an API")], briefForms: 0,
    spec: { TypesCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try TypesCommand(words.dropFirst()).run() }
}

/// `lull types API`: writes classes for lua-language-server, from schemas or from traffic.
struct TypesCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull types",
      description: """
        Writes editor annotations (LuaCATS) for an API.

        Editors then complete the calls of lull.api("github") and the content of their
        responses. Types come from the schema of a call, from the schema file next to
        the API file (github.schemas.json), or from recorded responses (--from-cache,
        --from-har). Only names and types of the content are written, never values. A
        field that is missing in any response is optional. Types found in responses are
        stored as a schema file too, unless another program wrote that file.

        An existing file is only overwritten if lull types wrote it. The API file runs
        as for lull check, in the environment of github@prod if you name one.
        """,
      arguments: [
        .init(positional: "API", help: "An API by name, or an API file.", isRequired: true)
      ] + OptionTable.traffic + [
        .init(
          names: ["-o", "--output"], placeholder: "FILE", demand: fileOrDash,
          help: "Write to this file, or - for stdout.",
          details: "The default is types/NAME.lua in the folder of the API file.")
      ],
      examples: [
        "lull types github",
        "lull types github --from-har tests/cassettes/repos.har",
        "lull types apis/shop.lua --from-cache -o types/shop.lua",
        "lull types shop@staging --from-har tests/cassettes/staging.har",
      ])
  }

  private static let fileOrDash = Argument.Demand.some("the name of a file, or -")

  private let word: String
  private let sources: TrafficOptions
  private let output: String?

  /// - Parameter words: The arguments after `types`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try TypesCommand.spec.read(words, for: .types)
    word = parsed.text("API") ?? ""
    sources = TrafficOptions(parsed)
    output = parsed.text("-o")
  }

  func run() -> Int32 {
    do throws(CommandFailure) {
      let api = try ParsedAPI.inspect(word).get()
      let target = output ?? "\(api.folder)/types/\(api.name).lua"
      if target != "-" { try TypesCommand.requireOwn(target) }
      let known = sources.isEmpty ? try known(of: api) : try seen(of: api)
      let text: String
      do throws(SchemaProblem) {
        let place = api.environment.map { ["The API in the environment '\($0)'."] } ?? []
        text = try TypeFile(
          api: api.name, environments: api.environments, calls: api.calls, schemas: known.schemas,
          own: known.own, notes: place + known.notes
        ).text
      } catch {
        throw CommandFailure(code: 3, message: "lull: \(error)\n")
      }
      guard target != "-" else { return Output.write(text) ? 0 : 1 }
      try TypesCommand.makeFolder(of: target)
      if let seen = known.seen { try keep(seen, of: api) }
      try TypesCommand.write(Array(text.utf8), to: target)
      TypesCommand.tell("\(target): \(TypesCommand.counted(api.calls.count, "call"))")
      return 0
    } catch {
      return error.tell()
    }
  }

  // MARK: Schemas

  private struct Known {
    var schemas: SchemaFile?
    /// The schemas that calls declare themselves.
    var own: [String: OwnSchema]
    var notes: [String]
    /// The schemas inferred from traffic, to be stored.
    var seen: [UInt8]?
  }

  /// The schemas of the API file and of the schema file next to it.
  private func known(of api: ParsedAPI) throws(CommandFailure) -> Known {
    var known = Known(own: api.ownSchemas, notes: TypesCommand.notes(on: api.ownSchemas, api))
    do throws(SchemaProblem) {
      known.schemas = try api.schemas()
    } catch {
      throw CommandFailure(code: 3, message: "lull: \(error)\n")
    }
    if known.schemas != nil {
      known.notes.append("From \(api.schemasPath.split(separator: "/").last ?? "").")
    } else if let other = api.calls.first(where: { known.own[$0.name] == nil }) {
      let whose = known.own.isEmpty ? "content" : "content of calls such as '\(other.name)'"
      Exit.complain(
        "lull: there is no \(api.schemasPath), so the types of the \(whose) are unknown; --from-cache and "
          + "--from-har find them in earlier responses\n")
    }
    return known
  }

  /// The schemas inferred from traffic, which are written to a file too.
  private func seen(of api: ParsedAPI) throws(CommandFailure) -> Known {
    let traffic = try sources.traffic(of: api)
    var shapes = TrafficShapes()
    for exchange in traffic.exchanges {
      guard let call = api.call(of: exchange) else { continue }
      if case .json(let document) = exchange.body, let content = api.content(document, of: call) {
        shapes.add(content, to: .response(String(exchange.status)), of: call)
      }
      // The variables of an operation have types.
      if let sent = exchange.sent, !api.isGraphQL(call) {
        shapes.add(sent.root, to: .body, of: call)
      }
    }
    guard !shapes.isEmpty else {
      throw CommandFailure(
        code: 3,
        message:
          "lull: the sources have no JSON from \(api.shownBase) for any of its calls\(traffic.shownOthers)\n"
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
    let own = api.ownSchemas.filter { name, schema in
      guard case .document = schema else { return false }
      return shapes.count(of: name) == 0
    }
    return Known(
      schemas: schemas, own: own,
      notes: TypesCommand.notes(on: own, api) + TypesCommand.notes(on: shapes, names), seen: bytes)
  }

  private static func notes(on own: [String: OwnSchema], _ api: ParsedAPI) -> [String] {
    let names = api.calls.map(\.name).filter { own[$0] != nil }
    return names.isEmpty
      ? [] : ["From the schema of the call: " + names.joined(separator: ", ") + "."]
  }

  private static func notes(on shapes: TrafficShapes, _ calls: [String]) -> [String] {
    let counts = calls.map { (name: $0, count: shapes.count(of: $0)) }.filter { $0.count > 0 }
    var notes = [
      "From traffic: " + counts.map { "\($0.name) (\($0.count))" }.joined(separator: ", ") + "."
    ]
    let single = shapes.calls(withOneSampleAmong: calls)
    if !single.isEmpty {
      notes.append(
        "From one response only, so optional fields are unknown: "
          + single.joined(separator: ", ") + ".")
    }
    return notes
  }

  /// Stores inferred schemas for the validator and `lull drift`. An existing file is replaced only
  /// if its schemas were inferred too.
  private func keep(_ bytes: [UInt8], of api: ParsedAPI) throws(CommandFailure) {
    let path = api.schemasPath
    if FileName.resolved(path) != nil {
      guard case .success(let old) = TextFile.read(Array(path.utf8)),
        InferredSchemas.isInferred(old)
      else {
        Exit.complain("lull: \(path) is left unchanged: lull types did not write it\n")
        return
      }
    }
    try TypesCommand.write(bytes, to: path)
    TypesCommand.tell("\(path): the types found in responses")
  }

  // MARK: Files

  private static func requireOwn(_ path: String) throws(CommandFailure) {
    guard access(path) else { return }
    guard case .success(let bytes) = TextFile.read(Array(path.utf8)) else {
      throw CommandFailure(code: 1, message: "lull: '\(path)' cannot be written\n")
    }
    guard bytes.isEmpty || TypeFile.isWritten(bytes) else {
      throw CommandFailure(
        code: 1,
        message:
          "lull: '\(path)' was not written by lull types, and is left unchanged: name "
          + "another file with -o\n")
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
    // Replace the target of a symbolic link, not the link.
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
