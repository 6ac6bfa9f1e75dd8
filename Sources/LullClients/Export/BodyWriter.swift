import LullCore

/// Writes the request body of a call in an OpenAPI document.
struct BodyWriter {
  let call: APICall
  /// The schema of the JSON body in the schemas file.
  let schema: JSONElement?

  private var fields: [CallParameter] { call.parameters.filter { $0.place == .body } }

  /// Writes the request body. Writes nothing for a call without a body.
  func write(_ schemas: inout ExportedSchemas, _ writer: inout JSONWriter) {
    let fields = fields
    guard !fields.isEmpty || call.requiresBody else { return }
    writer.writeObject(key: "requestBody") { writer in
      if let text = call.wholeParameter?.description { writer.write(key: "description", text) }
      if call.requiresBody || fields.contains(where: \.isRequired) {
        writer.write(key: "required", true)
      }
      writer.writeObject(key: "content") { writer in
        writer.writeObject(key: type) { writeContent(fields, &schemas, &$0) }
      }
    }
  }

  private func writeContent(
    _ fields: [CallParameter], _ schemas: inout ExportedSchemas, _ writer: inout JSONWriter
  ) {
    if let whole = call.wholeParameter { return write(whole: whole, &schemas, &writer) }
    writer.write(key: "schema")
    if let schema, call.bodyForm == .json, covers(schema, fields, schemas) {
      write(schema, describing: fields, &schemas, &writer)
    } else {
      write(fields, &schemas, &writer)
    }
    if call.bodyForm != .json { writeEncoding(&writer) }
  }

  private var type: String {
    switch call.bodyForm {
    case .json: call.contentType ?? "application/json"
    case .form: "application/x-www-form-urlencoded"
    case .multipart: "multipart/form-data"
    case .raw:
      switch call.wholeParameter?.kind {
      case .file?: call.contentType ?? "application/octet-stream"
      case .json?: call.contentType ?? "application/json"
      default: call.contentType ?? "text/plain"
      }
    }
  }

  /// Writes the schema of a parameter that is the whole body. A body of bytes has no schema.
  private func write(
    whole: CallParameter, _ schemas: inout ExportedSchemas, _ writer: inout JSONWriter
  ) {
    guard whole.kind != .file || schema != nil else { return }
    writer.write(key: "schema")
    ParameterSchema(parameter: whole, known: call.bodyForm == .json ? schema : nil)
      .write(&schemas, &writer)
  }

  /// Returns whether a schema has all body fields that the call declares. The API file may have
  /// been edited after the import.
  private func covers(
    _ schema: JSONElement, _ fields: [CallParameter], _ schemas: ExportedSchemas
  ) -> Bool {
    fields.allSatisfy { BodyWriter.property($0.wireName, of: schema, schemas, depth: 0) != nil }
  }

  /// Returns the schema of a property, which may be declared in any part of the body's schema.
  private static func property(
    _ name: String, of schema: JSONElement, _ schemas: ExportedSchemas, depth: Int
  ) -> JSONElement? {
    guard depth < 16 else { return nil }
    for schema in schema["$ref"] == nil ? [schema] : [schema, schemas.target(of: schema)] {
      if let found = schema["properties"]?[name] { return found }
      for part in schema["allOf"].map({ Array($0.elements) }) ?? [] {
        if let found = property(name, of: part, schemas, depth: depth + 1) { return found }
      }
    }
    return nil
  }

  /// Writes the body's schema from the schemas file, and adds the descriptions that only the API
  /// file has.
  private func write(
    _ schema: JSONElement, describing fields: [CallParameter], _ schemas: inout ExportedSchemas,
    _ writer: inout JSONWriter
  ) {
    var described: [(field: CallParameter, schema: JSONElement)] = []
    for field in fields where field.description != nil {
      guard let known = BodyWriter.property(field.wireName, of: schema, schemas, depth: 0),
        known.kind == .object, known["description"] == nil
      else { continue }
      described.append((field, known))
    }
    guard !described.isEmpty else { return schemas.write(schema, &writer) }
    writer.writeObject { writer in
      writer.writeList(key: "allOf") { schemas.write(schema, &$0) }
      writer.writeObject(key: "properties") { writer in
        for (field, known) in described {
          writer.write(key: field.wireName)
          let text = CallValue.string(field.description ?? "").jsonText
          schemas.write(known, &writer, extra: [("description", text)])
        }
      }
    }
  }

  private func write(
    _ fields: [CallParameter], _ schemas: inout ExportedSchemas, _ writer: inout JSONWriter
  ) {
    let required = fields.filter(\.isRequired).map(\.wireName)
    writer.writeObject { writer in
      writer.write(key: "type", "object")
      if !required.isEmpty { writer.write(key: "required", required) }
      writer.writeObject(key: "properties") { writer in
        for field in fields {
          writer.write(key: field.wireName)
          let known = call.bodyForm == .json ? schema?["properties"]?[field.wireName] : nil
          ParameterSchema(parameter: field, known: known, isDescribed: true)
            .write(&schemas, &writer)
        }
      }
    }
  }

  /// Writes the encoding of the form fields whose encoding is not the default.
  private func writeEncoding(_ writer: inout JSONWriter) {
    let fields = fields.filter { field in
      field.kind == .json || call.bodyForm == .form && (hasStyle(field) || field.keepsReserved)
    }
    guard !fields.isEmpty else { return }
    writer.writeObject(key: "encoding") { writer in
      for field in fields {
        writer.writeObject(key: field.wireName) { write(encodingOf: field, &$0) }
      }
    }
  }

  private func write(encodingOf field: CallParameter, _ writer: inout JSONWriter) {
    guard field.kind != .json || field.style == .deepObject else {
      return writer.write(key: "contentType", "application/json")
    }
    if field.style != .form { writer.write(key: "style", field.style.rawValue) }
    if field.explodes != field.style.explodes { writer.write(key: "explode", field.explodes) }
    if field.keepsReserved { writer.write(key: "allowReserved", true) }
  }

  private func hasStyle(_ field: CallParameter) -> Bool {
    field.isRepeated && (field.style != .form || !field.explodes)
  }
}
