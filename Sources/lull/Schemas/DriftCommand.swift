import LullArguments
import LullClients
import LullCore
import LullHost
import LullTestRunner
import LullSchemas
import LullSystem

extension Command {
  static let drift = Command(
    "drift", "compare responses with the schemas", .describe,
    forms: [("drift API", "compare responses with the schemas")], briefForms: 0,
    spec: { DriftCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try DriftCommand(words.dropFirst()).run() }
}

/// `lull drift API`: compares earlier responses with the schemas. Reports missing and undocumented
/// fields.
struct DriftCommand {
  private static let tiers: [DriftFinding.Tier] = [.breaking, .changed, .added]

  static var spec: ArgumentSpec {
    var spec = ArgumentSpec(
      name: "lull drift",
      description: """
        Compares recorded responses with the schemas of an API, without the network.

        Without --from-cache and --from-har it reads all recordings below tests, and the
        cache. Each row has a path as a JSON Pointer (* is any element), the number
        of responses, and a tier:

          breaking  a required field is missing, or a type is not declared
          changed   an undeclared enum value, or a fraction in place of an integer
          added     an undeclared field
          note      an optional field that never appeared, or no schema

        Values are never shown.

        With --schema it compares the GraphQL operations of an API with a newer schema:
        operations that are no longer valid or whose types do not fit (breaking),
        deprecated elements and other changes of types (changed), and further types
        (added).
        """,
      arguments: [
        .init(positional: "API", help: "An API by name, or an API file.", isRequired: true)
      ] + OptionTable.traffic + [
        .init(
          names: ["--schema"], placeholder: "SCHEMA", demand: .some("the name of a schema"),
          help: "Compare GraphQL operations with this schema.",
          details: """
            The URL of a server, a schema file (SDL), the result of an introspection, or - for standard input.
            """, rules: [.conflicts("--from-cache", "--from-har")]),
        .init(
          names: ["-H", "--header"], placeholder: "'K: V'",
          help: "Send a header with the introspection.", rules: [.needs("--schema")],
          isRepeated: true),
        .init(
          names: ["-a", "--auth"], placeholder: "USER[:PASSWORD]",
          help: "Set the credentials of the introspection.", rules: [.needs("--schema")]),
        .init(
          names: ["-A", "--auth-type"], placeholder: "KIND",
          choices: ["basic", "bearer", "digest"], help: "Set the type of the credentials.",
          details: "The default is basic. With bearer, -a is a token.", rules: [.needs("-a")]),
        .init(
          names: ["--fail-on"], placeholder: "TIER", choices: tiers.map(\.rawValue),
          help: "Exit with 7 on findings of this tier or above."),
      ] + OptionTable.list(standard: "table"),
      examples: [
        "lull drift github",
        "lull drift github --from-har tests/cassettes/repos.har --fail-on breaking",
        "lull drift apis/shop.lua --from-cache -o json",
        "lull drift shop@staging",
        "lull drift github --schema newer.graphql --fail-on breaking",
      ],
      exitCodes: [
        .init(0, "compared"),
        .init(1, "the API file cannot be inspected"),
        .init(2, "wrong usage"),
        .init(3, "a file cannot be read or there is nothing to compare"),
        .init(7, "findings of --fail-on"),
      ])
    spec.manual = "lull help drift"
    for index in spec.arguments.indices {
      let names = spec.arguments[index].names
      spec.arguments[index].isCommon = !common.isDisjoint(with: names)
    }
    return spec
  }

  private static let common: Set<String> = [
    "--from-cache", "--from-har", "--schema", "--fail-on", "--output",
  ]

  private let word: String
  private let sources: TrafficOptions
  private let limit: DriftFinding.Tier?
  private let format: OutputFormat
  private let guardsFormulas: Bool
  /// The newer GraphQL schema. `nil`: responses are compared.
  private var schema: GraphQLSource?

  /// - Parameter words: The arguments after `drift`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try DriftCommand.spec.read(words, for: .drift)
    word = parsed.text("API") ?? ""
    sources = TrafficOptions(parsed)
    limit = parsed.text("--fail-on").flatMap { DriftFinding.Tier(rawValue: $0) }
    format = OutputFormat(parsed) ?? .table
    guardsFormulas = parsed.has("--csv-guard")
    if let source = parsed.text("--schema") {
      schema = try GraphQLSource(source, parsed, .drift)
    }
  }

  func run() -> Int32 {
    if var schema {
      return schema.complete()
        ?? GraphQLDrift(
          word: word, source: schema, limit: limit, format: format, guardsFormulas: guardsFormulas
        ).run()
    }
    do throws(CommandFailure) {
      let api = try ParsedAPI.inspect(word).get()
      let schemas = try DriftCommand.schemas(of: api)
      let (traffic, isWhole) = try traffic(of: api)
      guard !traffic.exchanges.isEmpty else {
        throw CommandFailure(code: 3, message: "lull: \(nothing(of: api, traffic))\n")
      }
      var report = DriftReport(schemas, own: api.ownSchemas)
      do throws(SchemaProblem) {
        for exchange in traffic.exchanges { try DriftCommand.add(exchange, of: api, to: &report) }
      } catch {
        throw CommandFailure(code: 3, message: "lull: \(error)\n")
      }
      let findings = report.sorted
      show(findings)
      DriftCommand.tell(findings, report, traffic)
      if let limit, findings.contains(where: { $0.tier <= limit }) { return 7 }
      return isWhole && report.compared > 0 ? 0 : 3
    } catch {
      return error.tell()
    }
  }

  /// The schemas in the API's schema file. `nil` if the calls declare their own schemas instead.
  private static func schemas(of api: ParsedAPI) throws(CommandFailure) -> SchemaFile? {
    do throws(SchemaProblem) {
      if let schemas = try api.schemas() { return schemas }
    } catch {
      throw CommandFailure(code: 3, message: "lull: \(error)\n")
    }
    guard api.ownSchemas.isEmpty else { return nil }
    throw CommandFailure(
      code: 3,
      message:
        "lull: there is no \(api.schemasPath) to compare with; 'lull types \(api.fullName) --from-har "
        + "FILE' writes one from a recording\n")
  }

  // MARK: Traffic

  /// The available traffic. `isWhole` is whether all recordings of the traffic could be read.
  private func traffic(of api: ParsedAPI) throws(CommandFailure) -> (Traffic, isWhole: Bool) {
    guard sources.isEmpty else { return (try sources.traffic(of: api), true) }
    var traffic = try sources.traffic(of: api)
    var isWhole = true
    let search = FileName.isFolder("tests") ? TestSearch(["tests"], ending: ".har") : nil
    for problem in search?.problems ?? [] {
      Exit.complain("lull: \(problem)\n")
      isWhole = false
    }
    for path in search?.files ?? [] {
      do throws(CommandFailure) {
        try traffic.addArchive(path)
      } catch {
        // Compare the other recordings anyway.
        _ = error.tell()
        isWhole = false
      }
    }
    do throws(CommandFailure) {
      try TrafficOptions.addCache(of: api, to: &traffic)
    } catch {
      _ = error.tell()
      isWhole = false
    }
    return (traffic, isWhole)
  }

  private func nothing(of api: ParsedAPI, _ traffic: Traffic) -> String {
    let places =
      sources.isEmpty
      ? "neither in recordings below 'tests' nor in the cache" : "not in the given sources"
    return "there is no response from \(api.shownBase) to compare, \(places)\(traffic.shownOthers)"
  }

  private static func add(
    _ exchange: Traffic.Exchange, of api: ParsedAPI, to report: inout DriftReport
  ) throws(SchemaProblem) {
    guard let call = api.call(of: exchange) else {
      if api.isUnassignable(exchange) { return }
      report.add(undeclared: place(of: exchange))
      return
    }
    switch exchange.body {
    case .none: break
    case .json(let document):
      guard let content = api.content(document, of: call) else { return }
      try report.add(content, type: "", status: exchange.status, of: call)
    case .other(let type): try report.add(nil, type: type, status: exchange.status, of: call)
    }
  }

  /// The method and path of an exchange, without path segments that look like data.
  private static func place(of exchange: Traffic.Exchange) -> String {
    let parts = CallRoutes.target(of: exchange.url).path.split(separator: "/").map { part in
      KeyKind.isData(String(part)) ? "*" : String(part)
    }
    return "\(exchange.method) /\(parts.joined(separator: "/"))"
  }

  // MARK: Output

  private func show(_ findings: [DriftFinding]) {
    let rows = findings.map { finding in
      JSONValue.object([
        .init("tier", .string(finding.tier.rawValue)),
        .init("change", .string(finding.change.rawValue)),
        .init("call", .string(finding.call)), .init("status", .string(finding.status)),
        .init("place", .string(finding.pointer)), .init("declared", .string(finding.declared)),
        .init("found", .string(finding.found)), .init("samples", .int(finding.samples)),
        .init("of", .int(finding.of)),
      ])
    }
    // An empty table has no information.
    guard !rows.isEmpty || format != .table,
      let bytes = try? JSONValue.array(rows).encode()
    else { return }
    let text = ContentText(
      format: format, columns: [], style: .forStandardOutput(), guardsFormulas: guardsFormulas)
    _ = Output.write(text.bytes(of: JSONText(valid: bytes)))
  }

  private static func tell(
    _ findings: [DriftFinding], _ report: DriftReport, _ traffic: Traffic
  ) {
    let counts = tiers.compactMap { tier in
      let count = findings.count { $0.tier == tier }
      return count == 0 ? nil : "\(count) \(tier.rawValue)"
    }
    let answers = report.compared == 1 ? "1 response" : "\(report.compared) responses"
    Exit.complain(
      "lull: \(answers) of \(traffic.exchanges.count) compared: "
        + (report.compared == 0
          ? "none has content and a schema"
          : counts.isEmpty ? "all as declared" : counts.joined(separator: ", ")) + "\n")
  }
}
