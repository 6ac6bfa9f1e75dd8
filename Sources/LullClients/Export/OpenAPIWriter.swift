import LullCore

/// Writes an OpenAPI document for the API that a file describes: version 3.1, or 3.2 if a call needs
/// it.
///
/// The output is deterministic. Credentials are never included, and everything that the document
/// can't express is reported.
package struct OpenAPIWriter {
  package struct Result {
    /// The document as indented JSON.
    package var text: [UInt8]
    package var count: Int
    package var leftOut: [ExportedAPI.LeftOut]
  }

  private struct Operation {
    let exported: ExportedAPI.Call
    let path: ExportedPath
    let names: [String: String]
  }

  private struct Item {
    let path: String
    let names: [String]
    var operations: [Operation] = []
  }

  private static let methods: [RequestMethod] = [
    .get, .put, .post, .delete, .options, .head, .patch, .query,
  ]

  private let api: ExportedAPI
  private var items: [Item] = []
  private var places: [String: Int] = [:]
  private var leftOut: [ExportedAPI.LeftOut] = []
  private var traits = ExportedTraits()

  package static func document(of api: ExportedAPI) -> Result {
    var writer = OpenAPIWriter(api)
    return writer.write()
  }

  private init(_ api: ExportedAPI) {
    self.api = api
    for call in api.calls { add(call) }
  }

  private mutating func leave(_ call: APICall, _ reason: String) {
    leftOut.append(.init("call '\(call.name)'", reason))
  }

  private mutating func add(_ exported: ExportedAPI.Call) {
    let call = exported.call
    if call.graphQL != nil { return leave(call, "OpenAPI cannot describe GraphQL operations") }
    let path = ExportedPath(call.path)
    if let problem = path.problem { return leave(call, problem) }
    guard OpenAPIWriter.methods.contains(call.method) else {
      return leave(call, "OpenAPI has no method \(call.method)")
    }
    let placeholders = path.placeholders
    let names = placeholders.map { placeholder in
      let parameter = call.parameters.first { $0.placeholder == placeholder }
      return parameter?.style == .matrix ? parameter?.wireName ?? placeholder : placeholder
    }
    let key = path.shape + " \(placeholders.count)"
    let own = Dictionary(zip(placeholders, names)) { first, _ in first }
    var place = places[key] ?? items.count
    if place < items.count,
      items[place].operations.contains(where: { $0.exported.call.method == call.method })
    {
      // Make the path unique by a fragment, which is never sent. Other documents do the same.
      place = items.count
      let fragment = ParameterEscapes.strict.escaped(call.name)
      items.append(Item(path: path.renamed(own) + "#" + fragment, names: names))
      traits.addFragment(of: call)
    } else if place == items.count {
      places[key] = place
      items.append(Item(path: path.renamed(own), names: names))
    }
    let known = items[place].names
    for (name, shown) in zip(names, known) where name != shown {
      guard call.parameters.contains(where: { $0.wireName == name && $0.style == .matrix }) else {
        continue
      }
      return leave(
        call, "its parameter '\(name)' is called '\(shown)' in the path '\(items[place].path)'")
    }
    items[place].operations.append(
      Operation(
        exported: exported, path: path,
        names: Dictionary(zip(placeholders, known)) { first, _ in first }))
    tellPlaces(of: call)
  }

  private mutating func tellPlaces(of call: APICall) {
    for parameter in call.parameters where parameter.keepsReserved && parameter.place == .path {
      leftOut.append(
        .init(
          "'reserved' of the parameter '\(parameter.name)' of call '\(call.name)'",
          "OpenAPI escapes reserved characters in paths"))
    }
  }

  // MARK: Writing

  private mutating func write() -> Result {
    var schemas = ExportedSchemas(api.schemas, isWhole: api.isWhole)
    var security = SecuritySchemes(name: api.name)
    var writer = JSONWriter(pretty: true)
    writer.writeObject { writer in
      let isNew = items.contains { $0.operations.contains(where: OpenAPIWriter.isNew) }
      writer.write(key: "openapi", isNew ? "3.2.0" : "3.1.0")
      writer.write(key: "x-exported-by", api.origin)
      writer.writeObject(key: "info") { writer in
        writer.write(key: "title", api.description ?? api.name)
        // API files have no version, but the member is required.
        writer.write(key: "version", "0")
      }
      if !api.servers.isEmpty { OpenAPIWriter.writeServers(api.servers, &writer) }
      let usual = usualAccess
      if let usual, !usual.access.isEmpty {
        security.writeRequirements(usual.access, or: usual.least, &writer)
      }
      writer.writeObject(key: "paths") { writer in
        for item in items where !item.operations.isEmpty {
          writer.writeObject(key: item.path) { writer in
            for operation in item.operations {
              writer.write(key: operation.exported.call.method.rawValue.lowercased())
              let isUsual =
                operation.exported.access == usual?.access ?? []
                && operation.exported.least == usual?.least
              OperationWriter(operation.exported, operation.path, operation.names, schemas)
                .write(&schemas, &security, isUsual: isUsual, &writer)
            }
          }
        }
      }
      writeComponents(&schemas, security, &writer)
    }
    for operation in items.flatMap(\.operations) { traits.add(operation.exported.call) }
    var seen: Set<ExportedAPI.LeftOut> = []
    let all = leftOut + schemas.problems + security.problems + traits.leftOut
    return Result(
      text: writer.output + [10], count: items.reduce(0) { $0 + $1.operations.count },
      leftOut: all.filter { seen.insert($0).inserted })
  }

  /// Whether an operation has a part that OpenAPI 3.1 can't describe.
  private static func isNew(_ operation: Operation) -> Bool {
    let exported = operation.exported
    return exported.call.method == .query || operation.path.wholeQuery != nil || exported.hasRows
      || exported.access.contains { access in
        if case .device = access.way { true } else { false }
      }
  }

  private func writeComponents(
    _ schemas: inout ExportedSchemas, _ security: SecuritySchemes, _ writer: inout JSONWriter
  ) {
    guard schemas.hasComponents || !security.isEmpty else { return }
    writer.writeObject(key: "components") { writer in
      if schemas.hasComponents {
        writer.writeObject(key: "schemas") { schemas.writeComponents(&$0) }
      }
      if !security.isEmpty {
        writer.writeObject(key: "securitySchemes") { security.write(&$0) }
      }
    }
  }

  static func writeServers(_ servers: [ExportedAPI.Server], _ writer: inout JSONWriter) {
    writer.writeList(key: "servers") { writer in
      for server in servers {
        writer.writeObject { writer in
          writer.write(key: "url", server.url)
          if let text = server.description { writer.write(key: "description", text) }
        }
      }
    }
  }

  /// The combination of access methods that most calls use.
  private var usualAccess: (access: [ExportedAccess], least: [ExportedAccess]?)? {
    var counts: [(access: [ExportedAccess], least: [ExportedAccess]?, count: Int)] = []
    for call in items.flatMap(\.operations).map(\.exported) {
      if let place = counts.firstIndex(where: {
        $0.access == call.access && $0.least == call.least
      }) {
        counts[place].count += 1
      } else {
        counts.append((call.access, call.least, 1))
      }
    }
    return counts.max { $0.count < $1.count }.map { ($0.access, $0.least) }
  }
}
