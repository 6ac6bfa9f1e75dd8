import LullCore

/// Writes a document of OpenAPI 3.1 about an API that a file describes.
///
/// The same API gives the same text. Credentials are never in it, and what the document has no place for is told.
package struct OpenAPIWriter {
  package struct Result {
    /// JSON, as people read it.
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
    .get, .put, .post, .delete, .options, .head, .patch,
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
      // A fragment is never sent, and tells it apart, as documents of others have it.
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
        call, "'\(name)' is called '\(shown)' in the path of call '\(items[place].path)'")
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
          "in paths OpenAPI escapes all that is reserved"))
    }
  }

  // MARK: Writing

  private mutating func write() -> Result {
    var schemas = ExportedSchemas(api.schemas, isWhole: api.isWhole)
    var security = SecuritySchemes(name: api.name)
    var writer = JSONWriter(pretty: true)
    writer.begin("{")
    writer.write(key: "openapi")
    writer.write("3.1.0")
    writer.write(key: "x-exported-by")
    writer.write(api.origin)
    writer.write(key: "info")
    writer.begin("{")
    writer.write(key: "title")
    writer.write(api.description ?? api.name)
    writer.write(key: "version")
    // API files have none.
    writer.write("0")
    writer.end("}")
    if !api.servers.isEmpty {
      writer.write(key: "servers")
      OpenAPIWriter.write(api.servers, &writer)
    }
    let usual = usualAccess
    if let usual, !usual.access.isEmpty {
      writer.write(key: "security")
      security.writeRequirements(usual.access, or: usual.least, &writer)
    }
    writer.write(key: "paths")
    writer.begin("{")
    for item in items where !item.operations.isEmpty {
      writer.write(key: item.path)
      writer.begin("{")
      for operation in item.operations {
        writer.write(key: operation.exported.call.method.rawValue.lowercased())
        let isUsual =
          operation.exported.access == usual?.access ?? []
          && operation.exported.least == usual?.least
        OperationWriter(operation.exported, operation.path, operation.names, schemas)
          .write(&schemas, &security, isUsual: isUsual, &writer)
      }
      writer.end("}")
    }
    writer.end("}")
    writeComponents(&schemas, security, &writer)
    writer.end("}")
    for operation in items.flatMap(\.operations) { traits.add(operation.exported.call) }
    var seen: Set<ExportedAPI.LeftOut> = []
    let all = leftOut + schemas.problems + security.problems + traits.leftOut
    return Result(
      text: writer.output + [10], count: items.reduce(0) { $0 + $1.operations.count },
      leftOut: all.filter { seen.insert($0).inserted })
  }

  private func writeComponents(
    _ schemas: inout ExportedSchemas, _ security: SecuritySchemes, _ writer: inout JSONWriter
  ) {
    guard schemas.hasComponents || !security.isEmpty else { return }
    writer.write(key: "components")
    writer.begin("{")
    if schemas.hasComponents {
      writer.write(key: "schemas")
      writer.begin("{")
      schemas.writeComponents(&writer)
      writer.end("}")
    }
    if !security.isEmpty {
      writer.write(key: "securitySchemes")
      writer.begin("{")
      security.write(&writer)
      writer.end("}")
    }
    writer.end("}")
  }

  static func write(_ servers: [ExportedAPI.Server], _ writer: inout JSONWriter) {
    writer.begin("[")
    for server in servers {
      writer.begin("{")
      writer.write(key: "url")
      writer.write(server.url)
      if let text = server.description {
        writer.write(key: "description")
        writer.write(text)
      }
      writer.end("}")
    }
    writer.end("]")
  }

  /// What most calls are let in by.
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
