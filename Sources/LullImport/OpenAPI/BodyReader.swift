import LullCore

/// Makes the parameters of a call's body.
struct BodyReader {
  let document: OpenAPIDocument
  let parameters: ParameterReader

  /// One type of body that an operation accepts.
  struct Content {
    var type: String
    var body: ImportedCall.Body
    /// All types of it.
    var holder: ImportNode
    var node: ImportNode
  }

  /// - Parameter hasBody: whether calls of the method put parameters into a body by themselves.
  func read(_ chosen: Content, into call: inout ImportedCall, hasBody: Bool) {
    let (body, content) = (chosen.holder, chosen.node)
    let isRequired = body.bool("required") == true
    let schema = content["schema"]
    // Of any type, and a text or bytes: a file.
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
    // A form without fields is none.
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

  /// The type that says most of what is sent.
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
          // Bytes in JSON are a text.
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
    let object = schema.map { ObjectShape($0, in: document) }
    for property in object?.properties ?? [] where !isReadOnly(property.schema) {
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
        let isNested = parameters.set(&parameter, by: shape, isJSON: false)
        if encoding?.string("style") == "deepObject",
          isNested || shape.isDeep(property.schema, in: document)
        {
          parameter.setDeep()
        } else if !setJSON(&parameter, encoding) {
          setStyle(&parameter, encoding)
          parameter.lacksForm = isNested
        }
      }
      call.parameters.append(parameter)
    }
  }

  private func setStyle(_ parameter: inout ImportedParameter, _ encoding: ImportNode?) {
    guard parameter.isList || parameter.kind == .object else { return }
    if encoding?.string("style") == "deepObject" {
      if !parameter.isList || !parameter.key.hasSuffix("[]") { parameter.style = "deepObject" }
    } else if let style = encoding?.string("style"),
      ["spaceDelimited", "pipeDelimited"].contains(style)
    {
      let explodes = encoding?.bool("explode") == true
      guard parameter.isList || !explodes else { return }
      parameter.style = style
      if explodes { parameter.explode = true }
    } else if encoding?.bool("explode") == false {
      parameter.explode = false
    }
  }

  /// Whether a field is said to be JSON.
  private func setJSON(_ parameter: inout ImportedParameter, _ encoding: ImportNode?) -> Bool {
    guard let type = encoding?.string("contentType"), MediaType.isJSON(type),
      encoding?.string("style") == nil
    else { return false }
    parameter.kind = .json
    parameter.isList = false
    return true
  }

  /// A part of a multipart form: a file, JSON, or a text.
  private func setPart(
    _ parameter: inout ImportedParameter, _ shape: SchemaShape, _ encoding: ImportNode?
  ) {
    if shape.isBinary {
      parameter.kind = .file
      return
    }
    if setJSON(&parameter, encoding) { return }
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
