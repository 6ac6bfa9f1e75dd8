import LullCore

/// Converts a Swagger 2.0 document to an OpenAPI 3.0 document in memory.
///
/// References to path items, parameters and responses are followed, also into other files, so that
/// the result refers to nothing but schemas. Schemas stay in their documents and are not converted:
/// their readers know the few keywords that differ.
struct SwaggerConversion {
  private let set: DocumentSet
  private let root: ImportNode
  private var losses = SwaggerLosses()
  /// The name of the security scheme for `Authorization` headers that are declared as parameters.
  private let headerScheme: String
  private var usesHeaderScheme = false
  /// The schemes of the server's URLs, the preferred one first.
  private var schemes: [String] = []

  private static let methods = ["get", "put", "post", "delete", "options", "head", "patch"]

  /// Returns the converted document, in the place of the imported one, and its losses.
  static func document(
    of set: DocumentSet
  ) throws(DocumentProblem) -> (document: ImportDocument, losses: SwaggerLosses) {
    var conversion = SwaggerConversion(set)
    let bytes = conversion.text()
    do throws(JSONError) {
      let document = try JSONDocument(parsing: bytes)
      return (ImportDocument(document.root, convertedFrom: set.root), conversion.losses)
    } catch {
      throw DocumentProblem("the document is too large or too deep", file: set.root.name)
    }
  }

  private init(_ set: DocumentSet) {
    self.set = set
    root = ImportNode(set.root.root, set.root)
    let taken = root["securityDefinitions"]?.pairs.map(\.key) ?? []
    var name = "Authorization"
    while taken.contains(name) { name += "_header" }
    headerScheme = name
  }

  private mutating func text() -> [UInt8] {
    var writer = JSONWriter()
    writer.writeObject { writer in
      writer.write(key: "openapi", "3.0.3")
      for key in ["info", "tags", "security"] {
        if let value = root[key] { writer.write(key: key, value.element) }
      }
      writeServers(&writer)
      writer.writeObject(key: "paths") { writer in
        for (path, written) in root["paths"]?.pairs ?? [] where !path.hasPrefix("x-") {
          writer.write(key: path)
          write(item: written, path, &writer)
        }
      }
      writer.writeObject(key: "components") { writer in
        writer.writeObject(key: "securitySchemes") { writeSchemes(&$0) }
      }
    }
    return writer.output
  }

  /// Returns the target of a node. `nil` if it can't be found.
  private func target(of node: ImportNode?) -> ImportNode? {
    node.flatMap { try? set.resolved($0) }
  }

  private func strings(_ key: String, of node: ImportNode) -> [String]? {
    node[key]?.elements.compactMap(\.element.string)
  }

  // MARK: Servers

  private mutating func writeServers(_ writer: inout JSONWriter) {
    let home = root.document.url
    let declared = (strings("schemes", of: root) ?? []).map { $0.lowercased() }
    schemes = ["https", "http"].filter(declared.contains)
    for scheme in declared where !schemes.contains(scheme) {
      losses.add(.scheme, scheme, of: nil)
    }
    var host = root.string("host") ?? ""
    if let scheme = host.firstRange(of: "://") { host = String(host[scheme.upperBound...]) }
    while host.hasSuffix("/") { host.removeLast() }
    if declared.isEmpty {
      schemes = [home?.scheme ?? "https"]
      if home == nil, !host.isEmpty { losses.add(.assumedScheme, host, of: nil) }
    }
    var path = root.string("basePath") ?? ""
    while path.hasSuffix("/") { path.removeLast() }
    if !path.isEmpty, !path.hasPrefix("/") { path = "/" + path }
    if host.isEmpty, let home { host = home.authority }
    let used = schemes.isEmpty ? declared : schemes
    let urls = host.isEmpty ? [path.isEmpty ? "/" : path] : used.map { "\($0)://\(host)\(path)" }
    base = host.isEmpty ? nil : host + path
    writer.writeList(key: "servers") { writer in
      for url in urls { writer.writeObject { $0.write(key: "url", url) } }
    }
  }

  /// The host and base path of the API. `nil` if they are unknown.
  private var base: String?

  /// Writes the server of an operation that is not available by the usual scheme.
  private func writeServer(of operation: ImportNode, _ writer: inout JSONWriter) {
    let own = (strings("schemes", of: operation) ?? []).map { $0.lowercased() }
    guard let base, let usual = schemes.first, !own.isEmpty, !own.contains(usual),
      let scheme = ["https", "http"].first(where: own.contains) ?? own.first
    else { return }
    writer.writeList(key: "servers") { writer in
      writer.writeObject { $0.write(key: "url", "\(scheme)://\(base)") }
    }
  }

  // MARK: Security

  private func writeSchemes(_ writer: inout JSONWriter) {
    for (name, written) in root["securityDefinitions"]?.pairs ?? [] {
      guard let scheme = target(of: written) else { continue }
      writer.write(key: name)
      write(scheme: scheme, &writer)
    }
    guard usesHeaderScheme else { return }
    writer.writeObject(key: headerScheme) { writer in
      writer.write(key: "type", "apiKey")
      writer.write(key: "in", "header")
      writer.write(key: "name", "Authorization")
    }
  }

  private func write(scheme: ImportNode, _ writer: inout JSONWriter) {
    switch scheme.string("type") {
    case "basic":
      writer.writeObject { writer in
        writer.write(key: "type", "http")
        writer.write(key: "scheme", "basic")
      }
    case "oauth2":
      let flows = [
        "implicit": "implicit", "password": "password", "application": "clientCredentials",
        "accessCode": "authorizationCode",
      ]
      writer.writeObject { writer in
        writer.write(key: "type", "oauth2")
        writer.writeObject(key: "flows") { writer in
          guard let flow = scheme.string("flow").flatMap({ flows[$0] }) else { return }
          writer.writeObject(key: flow) { writer in
            for key in ["authorizationUrl", "tokenUrl", "scopes"] {
              if let value = scheme[key] { writer.write(key: key, value.element) }
            }
          }
        }
      }
    default: writer.write(scheme.element)
    }
  }

  // MARK: Operations

  private mutating func write(item written: ImportNode, _ path: String, _ writer: inout JSONWriter)
  {
    // A node that can't be found is kept, so that the reader reports it.
    guard let item = target(of: written) else { return writer.write(written.element) }
    writer.writeObject { writer in
      for method in SwaggerConversion.methods {
        guard let operation = item[method], operation.isObject else { continue }
        writer.writeObject(key: method) { writer in
          write(operation, in: item, "\(method.uppercased()) \(path)", &writer)
        }
      }
    }
  }

  /// The parameters of an operation, by the way they are converted.
  private struct Parameters {
    var plain: [ImportNode] = []
    var body: ImportNode?
    var fields: [ImportNode] = []
    var authorization: ImportNode?
    /// References that can't be resolved.
    var broken: [ImportNode] = []
  }

  private func parameters(of operation: ImportNode, in item: ImportNode) -> Parameters {
    var found: [(key: [UInt8], node: ImportNode)] = []
    var places: [[UInt8]: Int] = [:]
    var parameters = Parameters()
    for list in [item["parameters"], operation["parameters"]] {
      for written in list?.elements ?? [] {
        guard let node = target(of: written) else {
          parameters.broken.append(written)
          continue
        }
        let place = node.string("in") ?? ""
        // An operation has one body, whatever its name.
        let key = Array("\(place)\u{0}\(place == "body" ? "" : node.string("name") ?? "")".utf8)
        if let index = places[key] {
          found[index].node = node
        } else {
          places[key] = found.count
          found.append((key, node))
        }
      }
    }
    for (_, node) in found {
      switch node.string("in") {
      case "body": parameters.body = node
      case "formData": parameters.fields.append(node)
      case "header" where node.string("name")?.lowercased() == "authorization":
        parameters.authorization = node
      default: parameters.plain.append(node)
      }
    }
    return parameters
  }

  private mutating func write(
    _ operation: ImportNode, in item: ImportNode, _ title: String, _ writer: inout JSONWriter
  ) {
    for key in ["operationId", "summary", "description", "deprecated", "tags", "x-lull-safe"] {
      if let value = operation[key] { writer.write(key: key, value.element) }
    }
    let parameters = parameters(of: operation, in: item)
    writeSecurity(of: operation, parameters.authorization, &writer)
    writer.writeList(key: "parameters") { writer in
      for node in parameters.broken { writer.write(node.element) }
      for node in parameters.plain { write(parameter: node, title, &writer) }
    }
    let types = (strings("consumes", of: operation) ?? strings("consumes", of: root) ?? [])
      .filter { $0.contains("/") }
    if let body = parameters.body {
      if !parameters.fields.isEmpty { losses.add(.fieldsBesideBody, title, of: title) }
      write(body: body, types, &writer)
    } else if !parameters.fields.isEmpty {
      write(fields: parameters.fields, types, title, &writer)
    }
    write(responsesOf: operation, &writer)
    writeServer(of: operation, &writer)
  }

  /// Writes the security of an operation. If the document declares none, but a header parameter
  /// `Authorization`, that header becomes the security.
  private mutating func writeSecurity(
    of operation: ImportNode, _ authorization: ImportNode?, _ writer: inout JSONWriter
  ) {
    let declared = operation["security"] ?? root["security"]
    if let authorization, declared?.elements.isEmpty ?? true {
      usesHeaderScheme = true
      let isOptional = authorization.bool("required") != true
      writer.writeList(key: "security") { writer in
        if isOptional { writer.writeObject { _ in } }
        writer.writeObject { $0.writeList(key: headerScheme) { _ in } }
      }
    } else if let security = operation["security"] {
      writer.write(key: "security", security.element)
    }
  }

  // MARK: Parameters

  private enum Lists {
    /// The list is encoded by a style of OpenAPI 3.
    case style(String?, explode: Bool?)
    /// OpenAPI 3 has no style for the list.
    case text
  }

  private func lists(_ node: ImportNode, isMultipart: Bool = false) -> Lists? {
    guard node.string("type") == "array" else { return nil }
    let format = node.string("collectionFormat") ?? "csv"
    let place = node.string("in")
    if isMultipart { return format == "multi" ? .style(nil, explode: nil) : .text }
    guard place == "query" || place == "formData" else {
      return format == "csv" || format == "multi" ? .style(nil, explode: nil) : .text
    }
    switch format {
    case "multi": return .style(nil, explode: nil)
    case "ssv": return .style("spaceDelimited", explode: false)
    case "pipes": return .style("pipeDelimited", explode: false)
    case "tsv": return .text
    default: return .style(nil, explode: false)
    }
  }

  private mutating func write(
    parameter node: ImportNode, _ title: String, _ writer: inout JSONWriter
  ) {
    let name = node.string("name") ?? ""
    if node.string("in") == "header", ["accept", "content-type"].contains(name.lowercased()) {
      losses.add(.header, "'\(name)' of \(title)", of: title)
    }
    let lists = lists(node)
    writer.writeObject { writer in
      for key in ["name", "in", "description", "required"] {
        if let value = node[key] { writer.write(key: key, value.element) }
      }
      if case .style(let style, let explode)? = lists {
        if let style { writer.write(key: "style", style) }
        if let explode { writer.write(key: "explode", explode) }
      }
      writer.write(key: "schema")
      write(schemaOf: node, isText: isText(lists, name, title), describes: false, &writer)
    }
  }

  private mutating func isText(_ lists: Lists?, _ name: String, _ title: String) -> Bool {
    guard case .text? = lists else { return false }
    losses.add(.list, "'\(name)' of \(title)", of: title)
    return true
  }

  private static let schemaKeys = [
    "type", "format", "items", "enum", "default", "maximum", "exclusiveMaximum", "minimum",
    "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems",
    "uniqueItems", "multipleOf", "x-nullable",
  ]

  /// Writes the schema of a parameter that is not a body.
  ///
  /// - Parameter isText: Whether the value is a list that is given as one text.
  private func write(
    schemaOf node: ImportNode, isText: Bool, describes: Bool, _ writer: inout JSONWriter
  ) {
    // Swagger 2.0 allows this only for a body, but some documents have it.
    if let schema = node["schema"], node["type"] == nil { return write(schema: schema, &writer) }
    let isFile = node.string("type") == "file"
    writer.writeObject { writer in
      if describes, let text = node["description"] {
        writer.write(key: "description", text.element)
      }
      guard !isText, !isFile else {
        writer.write(key: "type", "string")
        if isFile { writer.write(key: "format", "binary") }
        return
      }
      for key in SwaggerConversion.schemaKeys {
        guard let value = node[key] else { continue }
        writer.write(key: key)
        if key == "items" { write(schema: value, &writer) } else { writer.write(value.element) }
      }
    }
  }

  /// Writes a schema, whose references stay valid in the imported document.
  private func write(schema: ImportNode, _ writer: inout JSONWriter) {
    guard schema.document !== set.root else { return writer.write(schema.element) }
    switch schema.element.kind {
    case .object:
      writer.writeObject { writer in
        for (key, value) in schema.pairs {
          writer.write(key: key)
          if key == "$ref", let text = value.element.string {
            writer.write(set.reference(text, from: schema.document))
          } else {
            write(schema: value, &writer)
          }
        }
      }
    case .array: writer.writeList { for element in schema.elements { write(schema: element, &$0) } }
    default: writer.write(schema.element)
    }
  }

  // MARK: Bodies

  private func write(body: ImportNode, _ types: [String], _ writer: inout JSONWriter) {
    writer.writeObject(key: "requestBody") { writer in
      for key in ["description", "required"] {
        if let value = body[key] { writer.write(key: key, value.element) }
      }
      writer.writeObject(key: "content") { writer in
        for type in types.isEmpty ? ["application/json"] : SwaggerConversion.unique(types) {
          writer.writeObject(key: type) { writer in
            guard let schema = body["schema"] else { return }
            writer.write(key: "schema")
            write(schema: schema, &writer)
          }
        }
      }
    }
  }

  private mutating func write(
    fields: [ImportNode], _ types: [String], _ title: String, _ writer: inout JSONWriter
  ) {
    let essences = types.map(MediaType.essence)
    let (form, multipart) = ("application/x-www-form-urlencoded", "multipart/form-data")
    let isMultipart =
      fields.contains { $0.string("type") == "file" }
      || essences.contains(multipart) && !essences.contains(form)
    let required = fields.filter { $0.bool("required") == true }.compactMap { $0.string("name") }
    let named = fields.compactMap { field in
      field.string("name").map {
        (name: $0, field: field, lists: lists(field, isMultipart: isMultipart))
      }
    }
    writer.writeObject(key: "requestBody") { writer in
      if !required.isEmpty { writer.write(key: "required", true) }
      writer.writeObject(key: "content") { writer in
        writer.writeObject(key: isMultipart ? multipart : form) { writer in
          writer.writeObject(key: "schema") { writer in
            writer.write(key: "type", "object")
            if !required.isEmpty { writer.write(key: "required", required) }
            writer.writeObject(key: "properties") { writer in
              for (name, field, lists) in named {
                writer.write(key: name)
                write(
                  schemaOf: field, isText: isText(lists, name, title), describes: true, &writer)
              }
            }
          }
          writer.writeObject(key: "encoding") { writer in
            for case (let name, _, .style(let style, let explode)?) in named {
              writer.writeObject(key: name) { writer in
                if let style { writer.write(key: "style", style) }
                if let explode { writer.write(key: "explode", explode) }
              }
            }
          }
        }
      }
    }
  }

  private static func unique(_ types: [String]) -> [String] {
    var seen: Set<String> = []
    return types.filter { seen.insert($0).inserted }
  }

  // MARK: Responses

  private func write(responsesOf operation: ImportNode, _ writer: inout JSONWriter) {
    let types = SwaggerConversion.unique(
      (strings("produces", of: operation) ?? strings("produces", of: root) ?? [])
        .filter { $0.contains("/") })
    writer.writeObject(key: "responses") { writer in
      for (status, written) in operation["responses"]?.pairs ?? [] where !status.hasPrefix("x-") {
        writer.write(key: status)
        guard let response = target(of: written) else {
          writer.write(written.element)
          continue
        }
        write(response: response, types, &writer)
      }
    }
  }

  private func write(response: ImportNode, _ produced: [String], _ writer: inout JSONWriter) {
    let schema = response["schema"]
    let isFile = target(of: schema)?.string("type") == "file"
    let examples = (response["examples"]?.pairs ?? []).filter { $0.key.contains("/") }
    var types = schema == nil ? [] : produced.isEmpty ? ["*/*"] : produced
    types += examples.map(\.key).filter { !types.contains($0) }
    writer.writeObject { writer in
      if let text = response["description"] { writer.write(key: "description", text.element) }
      writer.writeObject(key: "headers") { writer in
        for (name, _) in response["headers"]?.pairs ?? [] {
          writer.writeObject(key: name) { _ in }
        }
      }
      writer.writeObject(key: "content") { writer in
        for type in types {
          writer.writeObject(key: type) { writer in
            // Only JSON is described by schemas.
            if let schema, !isFile, MediaType.isJSON(type) || type == "*/*" {
              writer.write(key: "schema")
              write(schema: schema, &writer)
            }
            if let example = examples.first(where: { $0.key == type }) {
              writer.write(key: "example", example.value.element)
            }
          }
        }
      }
    }
  }
}

/// The parts of a Swagger 2.0 document that its conversion has lost.
struct SwaggerLosses {
  enum Kind {
    case assumedScheme, scheme, header, list, fieldsBesideBody
  }

  private var items: [(kind: Kind, text: String, operation: String?)] = []
  private static let mostItems = 5

  /// - Parameter operation: The operation that lost something, as in `GET /users`. `nil` for the
  ///   whole document.
  mutating func add(_ kind: Kind, _ text: String, of operation: String?) {
    items.append((kind, text, operation))
  }

  private static let texts: [(kind: Kind, text: String)] = [
    (.assumedScheme, "the document has no 'schemes', so https is used"),
    (.scheme, "these schemes are not imported, because calls use http and https"),
    (.header, "these header parameters are left out, because Lull sets the headers"),
    (
      .list,
      "the separators of these lists cannot be imported: pass the joined text as the value"
    ),
    (.fieldsBesideBody, "form fields beside a body are left out"),
  ]

  /// Notes on the losses.
  ///
  /// - Parameter operations: The operations that were imported.
  func notes(of operations: Set<String>) -> [String] {
    SwaggerLosses.texts.compactMap { kind, text in
      let found = items.filter { item in
        item.kind == kind && item.operation.map(operations.contains) ?? true
      }
      guard !found.isEmpty else { return nil }
      let shown = found.prefix(SwaggerLosses.mostItems).map { ShortText.comment($0.text) }
      let others = found.count - shown.count
      return "\(text): \(shown.joined(separator: ", "))"
        + (others > 0 ? " and \(others) \(others == 1 ? "other" : "others")" : "")
    }
  }
}
