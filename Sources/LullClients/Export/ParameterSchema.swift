import LullCore
import LullSchemas

/// The schema of a parameter. It is the schema in the schemas file if that still agrees with the
/// API file. Otherwise it is derived from the parameter's type.
struct ParameterSchema {
  let parameter: CallParameter
  /// The schema in the schemas file, if there is one.
  let known: JSONElement?
  /// Whether the schema contains the description of the parameter, because the document has no
  /// other member for it.
  var isDescribed = false

  func write(_ schemas: inout ExportedSchemas, _ writer: inout JSONWriter) {
    var extra: [(key: String, json: [UInt8])] = []
    if let standard { extra.append(("default", standard)) }
    if let known, fits(known, schemas), hasIntegers(known, schemas) {
      if isDescribed, known["description"] == nil { extra += description }
      return schemas.write(known, &writer, extra: extra)
    }
    if isDescribed { extra += description }
    writer.writeObject { writer in
      if parameter.isList {
        writer.write(key: "type", "array")
        writer.writeObject(key: "items") { writeType(&$0) }
      } else {
        writeType(&writer)
      }
      for (key, json) in extra { writer.write(key: key, raw: json) }
    }
  }

  /// Returns whether the parameter always has the same value. Such a value is part of every
  /// request.
  static func isConstant(_ parameter: CallParameter) -> Bool {
    guard case .choice(let words) = parameter.kind, words.count == 1, !parameter.isList,
      !parameter.hasWrittenCredential
    else {
      return false
    }
    return parameter.standard == .string(words[0])
  }

  private var description: [(key: String, json: [UInt8])] {
    parameter.description.map { [("description", CallValue.string($0).jsonText)] } ?? []
  }

  private var standard: [UInt8]? {
    ParameterSchema.isConstant(parameter) ? nil : parameter.shownDefault
  }

  private func writeType(_ writer: inout JSONWriter) {
    switch parameter.kind {
    case .string:
      writer.write(key: "type", "string")
      if case .secret? = parameter.standard { writer.write(key: "format", "password") }
    case .number: writer.write(key: "type", "number")
    case .integer:
      writer.write(key: "type", "integer")
      guard !parameter.integers.isEmpty else { return }
      writer.writeList(key: "enum") { for number in parameter.integers { $0.write(number) } }
    case .boolean: writer.write(key: "type", "boolean")
    case .object: writer.write(key: "type", "object")
    case .json: break
    case .file:
      writer.write(key: "type", "string")
      writer.write(key: "format", "binary")
    case .choice(let words):
      writer.write(key: "type", "string")
      if !parameter.hasWrittenCredential { writer.write(key: "enum", words) }
    }
  }

  // MARK: Comparing with the API file

  /// Returns whether a schema from the schemas file agrees with the API file, which may have been
  /// edited since.
  private func fits(_ schema: JSONElement, _ schemas: ExportedSchemas) -> Bool {
    let target = schemas.target(of: schema)
    guard parameter.isList else { return ParameterSchema.fits(target, parameter.kind) }
    guard let types = ParameterSchema.types(of: target) else { return true }
    guard types.contains("array") else { return false }
    return target["items"].map {
      ParameterSchema.fits(schemas.target(of: $0), parameter.kind)
    } ?? true
  }

  /// Returns whether a schema has the same list of allowed integers as the API file. True if the
  /// API file allows all integers.
  private func hasIntegers(_ schema: JSONElement, _ schemas: ExportedSchemas) -> Bool {
    guard !parameter.integers.isEmpty else { return true }
    let target = schemas.target(of: schema)
    let single = parameter.isList ? target["items"].map { schemas.target(of: $0) } : target
    guard let known = single?["enum"]?.elements else { return false }
    return known.compactMap(\.int) == parameter.integers
  }

  private static func fits(_ schema: JSONElement, _ kind: CallParameter.Kind) -> Bool {
    guard let types = types(of: schema) else { return true }
    switch kind {
    case .string, .file: return !types.isDisjoint(with: ["string", "null", "object", "array"])
    case .number: return types.contains("number")
    case .integer: return types.contains("integer")
    case .boolean: return types.contains("boolean")
    case .object: return types.contains("object")
    case .json: return true
    case .choice(let words):
      guard types.contains("string") else { return false }
      guard let known = schema["enum"]?.elements else { return true }
      return known.compactMap(\.string) == words
    }
  }

  /// Returns the types that a schema allows. nil if the schema allows any type.
  private static func types(of schema: JSONElement) -> Set<String>? {
    if let type = schema["type"]?.string { return [type] }
    guard let types = schema["type"], types.kind == .array else { return nil }
    return Set(types.elements.compactMap(\.string))
  }
}

extension CallParameter {
  /// The parameter's default as JSON. nil if there is no default, or if the default is a credential
  /// or a file.
  package var shownDefault: [UInt8]? {
    switch standard {
    case nil, .secret, .file, .content: nil
    case let value?: hasWrittenCredential ? nil : value.jsonText
    }
  }

  /// Whether the parameter's default is written in the file and is probably a credential.
  package var hasWrittenCredential: Bool {
    isCredentialByName || nestsWrittenCredential
  }

  /// Whether the parameter's default contains parts that are named like credentials, even if the
  /// parameter itself is not.
  package var nestsWrittenCredential: Bool {
    guard let standard else { return false }
    switch standard {
    case .string(let text): return CredentialMask.body(text) != text
    case .json, .list, .object:
      let bytes = standard.jsonText
      return CredentialMask.body(bytes) != bytes
    case .number, .integer, .digits, .boolean, .secret, .file, .content: return false
    }
  }

  private var isCredentialByName: Bool {
    guard CredentialName.names(wireName) else { return false }
    // A word from a list of several is not secret, and neither is a small number.
    if case .choice(let words) = kind, words.count > 1 { return false }
    return switch standard {
    case .string, .list, .json, .digits: true
    case .integer(let number): number.magnitude >= 1000
    case .number: true
    default: false
    }
  }
}
