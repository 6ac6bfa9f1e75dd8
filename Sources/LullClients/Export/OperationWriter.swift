import LullCore

/// Writes a call as an operation of an OpenAPI document.
struct OperationWriter {
  let exported: ExportedAPI.Call
  let path: ExportedPath
  /// The placeholder names in the document's path, keyed by the placeholder names in the call's own
  /// path.
  let names: [String: String]
  /// The entry for the call in the schemas file.
  let entry: JSONElement?

  private var call: APICall { exported.call }

  init(
    _ exported: ExportedAPI.Call, _ path: ExportedPath, _ names: [String: String],
    _ schemas: ExportedSchemas
  ) {
    self.exported = exported
    self.path = path
    self.names = names
    entry = schemas.entry(of: exported.call.name)
  }

  /// - Parameter isUsual: Whether the call has the access methods that are the document's default.
  func write(
    _ schemas: inout ExportedSchemas, _ security: inout SecuritySchemes, isUsual: Bool,
    _ writer: inout JSONWriter
  ) {
    writer.writeObject { writer in
      writer.write(key: "operationId", call.name)
      writeSummary(&writer)
      if call.isSafe { writer.write(key: "x-lull-safe", true) }
      writeParameters(&schemas, &writer)
      BodyWriter(call: call, schema: entry?["body"]).write(&schemas, &writer)
      ResponseWriter(exported: exported, known: entry?["responses"], said: entry?["answers"])
        .write(&schemas, &writer)
      if !isUsual { security.writeRequirements(exported.access, or: exported.least, &writer) }
      if let server = path.server { OpenAPIWriter.writeServers([.init(url: server)], &writer) }
    }
  }

  /// Writes the description. The prefix "Deprecated", which an import adds, becomes a field again.
  private func writeSummary(_ writer: inout JSONWriter) {
    guard var text = call.description else { return }
    let mark = "Deprecated"
    let isDeprecated = text == mark || text.hasPrefix(mark + ": ")
    if isDeprecated { text.removeFirst(min(text.count, mark.count + 2)) }
    if !text.isEmpty { writer.write(key: "summary", text) }
    if isDeprecated { writer.write(key: "deprecated", true) }
  }

  // MARK: Parameters

  private func writeParameters(_ schemas: inout ExportedSchemas, _ writer: inout JSONWriter) {
    let parameters = call.parameters.filter {
      $0.place != .body && !ExportedAPI.Call.isAccess($0)
    }
    let headers = fixedHeaders
    let fixed = path.query.compactMap { pair in
      if case .fixed(let name, let value) = pair, !path.credentials.contains(name) {
        (name: name, value: value)
      } else {
        nil
      }
    }
    guard !parameters.isEmpty || !headers.isEmpty || !fixed.isEmpty else { return }
    writer.writeList(key: "parameters") { writer in
      for parameter in parameters { write(parameter, &schemas, &writer) }
      for (name, value) in fixed { writeFixed(name, in: "query", value, &writer) }
      for (name, value) in headers { writeFixed(name, in: "header", value, &writer) }
    }
  }

  /// The headers that are not written elsewhere in the document.
  private var fixedHeaders: [(name: String, value: String)] {
    let own = Set(
      call.parameters.filter { $0.place == .header }.map { $0.wireName.lowercased() })
    return exported.headers.filter { header in
      let name = header.name.lowercased()
      return !["accept", "content-type", "authorization"].contains(name) && !own.contains(name)
    }
  }

  private func writeFixed(
    _ name: String, in place: String, _ value: String, _ writer: inout JSONWriter
  ) {
    writer.writeObject { writer in
      writer.write(key: "name", name)
      writer.write(key: "in", place)
      writer.write(key: "required", true)
      writer.writeObject(key: "schema") { writer in
        writer.write(key: "type", "string")
        writer.write(key: "enum", [value])
      }
    }
  }

  private func write(
    _ parameter: CallParameter, _ schemas: inout ExportedSchemas, _ writer: inout JSONWriter
  ) {
    let (name, place) = place(of: parameter)
    let isRequired =
      parameter.place == .path || parameter.isRequired || ParameterSchema.isConstant(parameter)
    writer.writeObject { writer in
      writer.write(key: "name", name)
      writer.write(key: "in", place)
      if let text = parameter.description { writer.write(key: "description", text) }
      if isRequired { writer.write(key: "required", true) }
      let schema = ParameterSchema(
        parameter: parameter, known: entry?["parameters"]?[parameter.name])
      if place == "querystring" {
        writer.writeObject(key: "content") { writer in
          writer.writeObject(key: "text/plain") { writer in
            writer.write(key: "schema")
            schema.write(&schemas, &writer)
          }
        }
      } else if parameter.kind == .json, parameter.style != .deepObject {
        writer.writeObject(key: "content") { writer in
          writer.writeObject(key: "application/json") { writer in
            writer.write(key: "schema")
            schema.write(&schemas, &writer)
          }
        }
      } else {
        writeStyle(parameter, in: place, &writer)
        writer.write(key: "schema")
        schema.write(&schemas, &writer)
      }
    }
  }

  private func place(of parameter: CallParameter) -> (name: String, place: String) {
    guard parameter.place == .path else { return (parameter.wireName, parameter.place.rawValue) }
    if let name = names[parameter.placeholder] { return (name, "path") }
    if path.wholeQuery == parameter.placeholder { return (parameter.placeholder, "querystring") }
    for case .parameter(let name, parameter.placeholder) in path.query { return (name, "query") }
    return (parameter.placeholder, "path")
  }

  /// Writes the style and related members of a parameter, unless they are the default for its
  /// location.
  private func writeStyle(
    _ parameter: CallParameter, in place: String, _ writer: inout JSONWriter
  ) {
    let isMoved = place != parameter.place.rawValue
    let usual = ParameterStyle.styles(in: parameter.place).first
    if !isMoved, parameter.style != usual {
      writer.write(key: "style", parameter.style.rawValue)
    }
    let hasParts = parameter.isRepeated || parameter.kind == .json
    let explodes = isMoved ? false : parameter.explodes
    let usuallyExplodes = isMoved ? true : parameter.style.explodes
    if hasParts, explodes != usuallyExplodes { writer.write(key: "explode", explodes) }
    if parameter.keepsReserved, place == "query" { writer.write(key: "allowReserved", true) }
  }
}
