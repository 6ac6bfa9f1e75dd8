import LullCore

/// Creates the parameters of a call's body.
struct BodyReader {
  let document: OpenAPIDocument
  let parameters: ParameterReader

  /// A body type that an operation accepts, and its content.
  struct Content {
    var type: String
    var body: ImportedCall.Body
    /// The request body in the document. It may have other content types too.
    var holder: ImportNode
    var node: ImportNode
  }

  /// - Parameter hasBody: Whether parameters of a call with this method are sent in the body by
  ///   default.
  func read(_ chosen: Content, into call: inout ImportedCall, hasBody: Bool) {
    let (body, content) = (chosen.holder, chosen.node)
    let isRequired = body.bool("required") == true
    let schema = content["schema"]
    // The body may have any type, and is a string or bytes: it is a file.
    let isFile =
      ["*/*", "application/*"].contains(MediaType.essence(chosen.type))
      && SchemaShape.of(schema, in: document).kind == .string
    let kind = isFile ? .raw : chosen.body
    call.body = kind
    switch kind {
    case .json:
      let type = MediaType.essence(chosen.type)
      if type != "application/json", !type.contains("*") { call.contentType = chosen.type }
      readJSON(schema, body, &call, isRequired: isRequired)
    case .form, .multipart: readForm(schema, content, body, &call, isRequired: isRequired)
    case .raw:
      call.contentType = isFile ? "application/octet-stream" : chosen.type
      var parameter = whole(body, isRequired: isRequired)
      parameter.kind = MediaType.isText(chosen.type) ? .string : .file
      call.parameters.append(parameter)
    }
    let fields = call.parameters.filter { $0.place == .body }
    // A form without fields can't be sent.
    if fields.isEmpty {
      call.body = nil
      call.contentType = nil
    }
    call.requiresBody =
      isRequired && !fields.isEmpty && !fields.contains { $0.isRequired || $0.isWhole }
    guard !hasBody else { return }
    for place in call.parameters.indices where call.parameters[place].place == .body {
      call.parameters[place].saysPlace = true
    }
  }

  /// Returns the preferred one of several body types.
  static func chosen(_ types: [String]) -> (type: String, body: ImportedCall.Body)? {
    func first(_ isIt: (String) -> Bool) -> String? { types.first { isIt(MediaType.essence($0)) } }
    if let type = first({ $0 == "application/json" }) { return (type, .json) }
    if let type = first(MediaType.isJSON) { return (type, .json) }
    if let type = first({ $0 == "application/x-www-form-urlencoded" }) { return (type, .form) }
    if let type = first({ $0 == "multipart/form-data" }) { return (type, .multipart) }
    if let type = first({ ["*/*", "application/*"].contains($0) }) { return (type, .json) }
    let isType = { (type: String) in
      type.contains("/") && !type.contains("*") && !type.hasPrefix("multipart/")
        && type.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
    if let type = first(isType) { return (type, .raw) }
    if let type = first({ $0.hasSuffix("/*") }) {
      return (type.hasPrefix("text/") ? "text/plain" : "application/octet-stream", .raw)
    }
    return nil
  }

  private func whole(_ body: ImportNode, isRequired: Bool) -> ImportedParameter {
    var parameter = ImportedParameter(key: "body", place: .body)
    parameter.isWhole = true
    parameter.isRequired = isRequired
    parameter.description = body.string("description")
    return parameter
  }

  private func readJSON(
    _ schema: ImportNode?, _ body: ImportNode, _ call: inout ImportedCall, isRequired: Bool
  ) {
    if let schema, SchemaShape.of(schema, in: document).kind == .object {
      let object = ObjectShape(schema, in: document)
      let properties = object.properties.filter { !isReadOnly($0.schema) }
      if !properties.isEmpty, properties.count <= ObjectShape.most, !object.isOneOfSeveral,
        properties.count <= document.propertiesLeft
      {
        document.propertiesLeft -= properties.count
        for property in properties {
          var parameter = self.parameter(property, isRequired: isRequired)
          var shape = SchemaShape.of(property.schema, in: document)
          // In JSON, binary data is sent as a string.
          shape.isBinary = false
          parameters.set(&parameter, by: shape, isJSON: true)
          call.parameters.append(parameter)
        }
        return
      }
    }
    var parameter = whole(body, isRequired: isRequired)
    parameter.kind = .json
    call.parameters.append(parameter)
  }

  private func readForm(
    _ schema: ImportNode?, _ content: ImportNode, _ body: ImportNode, _ call: inout ImportedCall,
    isRequired: Bool
  ) {
    for property in formProperties(of: schema) where !isReadOnly(property.schema) {
      var parameter = self.parameter(property, isRequired: isRequired)
      var shape = SchemaShape.of(property.schema, in: document)
      if shape.kind == .any, let container = shape.container.first { shape = container }
      let encoding = content["encoding"]?[property.name]
      if call.body == .multipart {
        setPart(&parameter, shape, encoding)
        if parameter.isList, encoding?.string("style") == "deepObject",
          !parameter.key.hasSuffix("[]")
        {
          parameter.key += "[]"
        }
      } else {
        parameters.setField(&parameter, property.schema, shape, encoding)
      }
      call.parameters.append(parameter)
    }
  }

  /// Returns the properties of a form. If only its alternatives have properties, they are optional.
  private func formProperties(of schema: ImportNode?) -> [ObjectShape.Property] {
    guard let schema else { return [] }
    let own = ObjectShape(schema, in: document).properties
    guard own.isEmpty, let target = document.target(of: schema) else { return own }
    var properties: [ObjectShape.Property] = []
    for alternative in target.alternatives {
      for var property in ObjectShape(alternative, in: document).properties
      where properties.count < ObjectShape.most {
        guard !properties.contains(where: { $0.name == property.name }) else { continue }
        property.isRequired = false
        properties.append(property)
      }
    }
    return properties
  }

  /// Sets the type of a part in a multipart form: a file, JSON or text.
  private func setPart(
    _ parameter: inout ImportedParameter, _ shape: SchemaShape, _ encoding: ImportNode?
  ) {
    if shape.isBinary {
      parameter.kind = .file
      return
    }
    if parameters.setJSON(&parameter, encoding) { return }
    if shape.kind == .array {
      let items = SchemaShape.of(shape.items, in: document)
      if items.isBinary {
        parameter.kind = .file
        parameter.isList = true
        return
      }
      if items.kind == .object || items.kind == .array {
        parameter.kind = .json
        return
      }
    }
    if shape.kind == .object {
      parameter.kind = .json
      return
    }
    parameters.set(&parameter, by: shape, isJSON: false)
  }

  private func parameter(_ property: ObjectShape.Property, isRequired: Bool) -> ImportedParameter {
    var parameter = ImportedParameter(key: property.name, place: .body)
    parameter.isRequired = isRequired && property.isRequired
    parameter.description = property.schema.string("description")
    return parameter
  }

  private func isReadOnly(_ schema: ImportNode) -> Bool {
    schema.bool("readOnly") ?? document.target(of: schema)?.bool("readOnly") ?? false
  }
}

/// Selects the body types that the calls of an operation can send.
extension BodyReader {
  struct Choice {
    /// The body that the call sends. `nil` if the call sends no body.
    var first: Content?
    /// A form with files. It is sent by a separate call.
    var form: Content?
    /// The types that no call sends.
    var left: [String] = []
  }

  func choice(of written: ImportNode) throws(DocumentProblem) -> Choice {
    let body = try document.resolved(written)
    let contents = document.contents(of: body)
    func content(_ chosen: (type: String, body: ImportedCall.Body)) -> Content? {
      // If a wildcard accepts the chosen type, the document lists it under another name.
      let node = contents.first { $0.key == chosen.type } ?? contents.first
      return node.map {
        Content(type: chosen.type, body: chosen.body, holder: body, node: $0.value)
      }
    }
    guard let chosen = BodyReader.chosen(contents.map(\.key)), let first = content(chosen) else {
      guard contents.isEmpty else {
        throw DocumentProblem("the body has no type that can be sent")
      }
      return Choice()
    }
    var choice = Choice(first: first)
    let multipart = contents.first { MediaType.essence($0.key) == "multipart/form-data" }
    if first.body == .json || first.body == .form, let multipart, hasFiles(multipart.value) {
      let form = content((multipart.key, .multipart))
      // If both have the same fields, use the form, because only it can send files.
      if isSame(first.node, multipart.value) { choice.first = form } else { choice.form = form }
    }
    let sent = [choice.first, choice.form].compactMap(\.self)
    choice.left = contents.filter { type, node in
      !type.contains("*") && !sent.contains { $0.type == type || isOther($0, as: type, node) }
    }.map(\.key)
    return choice
  }

  /// Whether a type is equivalent to the type that is sent. An equivalent type is either another
  /// name for the sent type, or JSON with the same schema.
  private func isOther(_ sent: Content, as type: String, _ node: ImportNode) -> Bool {
    let (own, other) = (MediaType.essence(sent.type), MediaType.essence(type))
    if own == other { return true }
    guard MediaType.isJSON(own), MediaType.isJSON(other) else { return false }
    // A JSON patch has another meaning than a document, even if the schema is the same.
    return other == "text/json" || isSame(sent.node, node) && !other.contains("patch")
  }

  private func isSame(_ one: ImportNode, _ other: ImportNode) -> Bool {
    guard let one = document.target(of: one["schema"]),
      let other = document.target(of: other["schema"])
    else { return false }
    return one.identity == other.identity
  }

  private func hasFiles(_ content: ImportNode) -> Bool {
    guard let schema = content["schema"] else { return false }
    return ObjectShape(schema, in: document).properties.contains { property in
      let shape = SchemaShape.of(property.schema, in: document)
      return shape.isBinary
        || shape.kind == .array && SchemaShape.of(shape.items, in: document).isBinary
    }
  }
}

/// Media type names, for distinguishing bodies.
enum MediaType {
  /// Returns the type in lower case and without parameters.
  static func essence(_ type: String) -> String {
    String(type.prefix { $0 != ";" }).lowercased().replacing(" ", with: "")
  }

  static func isJSON(_ type: String) -> Bool {
    let type = essence(type)
    return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
  }

  /// Whether content of the type is a stream of events.
  static func isEvents(_ type: String) -> Bool { essence(type) == "text/event-stream" }

  /// Whether content of the type is a sequence of JSON values, which becomes a list.
  static func isSequence(_ type: String) -> Bool {
    let type = essence(type)
    return (ContentTypePattern.lineTypes + ContentTypePattern.valueTypes).contains {
      $0.matches(type)
    }
  }

  static func isText(_ type: String) -> Bool {
    let type = essence(type)
    return type.hasPrefix("text/") || type.hasSuffix("+xml") || type.hasSuffix("+yaml")
      || [
        "application/xml", "application/yaml", "application/x-yaml", "application/graphql",
        "application/x-ndjson", "application/jsonl", "application/sql", "application/jwt",
      ].contains(type)
  }
}
