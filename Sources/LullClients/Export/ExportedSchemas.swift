import LullCore
import LullSchemas

/// Writes schemas from the schemas file into an OpenAPI document. Referenced schemas become
/// components.
struct ExportedSchemas {
  private let file: SchemaFile?
  private var names: [String: String] = [:]
  private var used: Set<String> = []
  /// Parts of the schemas file that are referenced but are not definitions. Each becomes a
  /// component with this name.
  private var others: [(name: String, schema: JSONElement)] = []
  private var otherNames: [String: String] = [:]
  /// The names of the definitions to include in the document, in order of reference.
  private var wanted: [String] = []
  private var isWanted: Set<String> = []
  private(set) var problems: [ExportedAPI.LeftOut] = []

  private static let single: Set<String> = [
    "additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems", "contains",
    "propertyNames", "not", "if", "then", "else", "contentSchema",
  ]
  private static let lists: Set<String> = ["allOf", "anyOf", "oneOf", "prefixItems"]
  private static let maps: Set<String> = [
    "properties", "patternProperties", "dependentSchemas", "$defs", "definitions",
  ]

  /// - Parameter isWhole: Whether all definitions of the file are included, not only the referenced
  ///   ones.
  init(_ file: SchemaFile?, isWhole: Bool) {
    self.file = file
    problems = (file?.problems() ?? []).map { .init("part of the schemas", "\($0)") }
    for name in file?.definitions ?? [] {
      names[name] = key(for: name)
      if isWhole { want(name) }
    }
  }

  /// Returns a unique component name that consists of letters, digits, `.`, `-` and `_`.
  private mutating func key(for name: String) -> String {
    var key = ""
    for scalar in name.unicodeScalars {
      let isFine =
        scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        || "._-".unicodeScalars.contains(scalar)
      key.unicodeScalars.append(isFine ? scalar : "_")
    }
    if key.isEmpty { key = "schema" }
    var one = key
    var number = 2
    while !used.insert(one).inserted {
      one = "\(key)_\(number)"
      number += 1
    }
    return one
  }

  private mutating func want(_ name: String) {
    if isWanted.insert(name).inserted { wanted.append(name) }
  }

  // MARK: Lookup

  /// Returns the entry for a call in the schemas file. nil if the file has no such entry.
  func entry(of call: String) -> JSONElement? { try? file?.call(call) }

  func definition(_ name: String) -> JSONElement? { try? file?.definition(name) }

  /// Returns the schema that a schema refers to, if it is only a reference. Otherwise returns the
  /// schema itself.
  func target(of schema: JSONElement) -> JSONElement {
    var schema = schema
    for _ in 0..<20 {
      guard let reference = schema["$ref"]?.string, let name = ExportedSchemas.name(in: reference),
        let next = definition(name)
      else { break }
      schema = next
    }
    return schema
  }

  /// Returns the name of the definition that a reference points to. nil if the reference points
  /// elsewhere or only to a part of a definition.
  private static func name(in reference: String) -> String? {
    guard reference.hasPrefix("#/$defs/") else { return nil }
    let rest = reference.dropFirst(8)
    return rest.contains("/") ? nil : token(rest)
  }

  private static func token(_ text: some StringProtocol) -> String {
    PercentText.decoded(text).replacing("~1", with: "/").replacing("~0", with: "~")
  }

  // MARK: Writing

  /// Writes a schema that consists of a reference to a definition.
  mutating func writeReference(to definition: String, _ writer: inout JSONWriter) {
    let reference = reference("#/$defs/" + JSONPointer.escaped(definition))
    writer.writeObject { if let reference { $0.write(key: "$ref", reference) } }
  }

  /// - Parameters:
  ///   - extra: Members, encoded as JSON, that replace members of the schema with the same name.
  ///   - isForeign: Whether references in the schema are relative to another document.
  mutating func write(
    _ schema: JSONElement, _ writer: inout JSONWriter, extra: [(key: String, json: [UInt8])] = [],
    isForeign: Bool = false
  ) {
    guard schema.kind == .object else {
      guard !extra.isEmpty, schema.bool == true else { return writer.write(schema) }
      return writer.writeObject { for (key, json) in extra { $0.write(key: key, raw: json) } }
    }
    // References in a schema with its own `$id` are relative to that schema.
    let isForeign = isForeign || schema["$id"]?.string.map { !$0.hasPrefix("#") } ?? false
    writer.writeObject { writer in
      for (key, value) in schema.pairs where !extra.contains(where: { $0.key == key }) {
        write(key, value, &writer, isForeign: isForeign)
      }
      for (key, json) in extra { writer.write(key: key, raw: json) }
    }
  }

  /// Writes a keyword of a schema.
  private mutating func write(
    _ key: String, _ value: JSONElement, _ writer: inout JSONWriter, isForeign: Bool
  ) {
    if !isForeign, key == "$ref" || key == "$dynamicRef", let text = value.string {
      // A reference without a target is omitted.
      if let reference = reference(text) { writer.write(key: "$ref", reference) }
      return
    }
    switch key {
    case "discriminator" where !isForeign && value["mapping"]?.kind == .object:
      writer.writeObject(key: key) { writer in
        for (name, element) in value.pairs where name != "mapping" {
          writer.write(key: name, element)
        }
        writer.writeObject(key: "mapping") { writer in
          for (word, target) in value["mapping"]?.pairs ?? [] {
            guard let text = target.string, let reference = reference(text) else { continue }
            writer.write(key: word, reference)
          }
        }
      }
    case _ where ExportedSchemas.single.contains(key):
      writer.write(key: key)
      write(value, &writer, isForeign: isForeign)
    case _ where ExportedSchemas.lists.contains(key) && value.kind == .array:
      writer.writeList(key: key) { writer in
        for element in value.elements { write(element, &writer, isForeign: isForeign) }
      }
    case _ where ExportedSchemas.maps.contains(key) && value.kind == .object:
      writer.writeObject(key: key) { writer in
        for (name, element) in value.pairs {
          writer.write(key: name)
          write(element, &writer, isForeign: isForeign)
        }
      }
    default: writer.write(key: key, value)
    }
  }

  /// Translates a reference for the document. If the document would not contain the target, records
  /// a problem and returns nil.
  private mutating func reference(_ text: String) -> String? {
    guard text.hasPrefix("#/") else {
      let reason =
        text.hasPrefix("#")
        ? "it is not a JSON Pointer" : "it is outside the schema file"
      problems.append(.init("the target of $ref '\(text)'", reason))
      return nil
    }
    let parts = text.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false)
    if parts.count > 1, parts[0] == "$defs", let key = names[ExportedSchemas.token(parts[1])] {
      want(ExportedSchemas.token(parts[1]))
      let rest = parts.dropFirst(2).map { "/" + $0 }.joined()
      return "#/components/schemas/\(key)\(rest)"
    }
    // Any other referenced part of the file becomes a separate component.
    if let known = otherNames[text] { return "#/components/schemas/\(known)" }
    guard let found = element(at: parts.map { ExportedSchemas.token($0) }) else {
      problems.append(.init("the target of $ref '\(text)'", "it does not exist"))
      return nil
    }
    let name = key(for: parts.suffix(3).map { ExportedSchemas.token($0) }.joined(separator: "."))
    otherNames[text] = name
    others.append((name, found))
    return "#/components/schemas/\(name)"
  }

  private func element(at path: [String]) -> JSONElement? {
    guard path.count > 1, var found = try? file?.entry(path[1], in: path[0]) else { return nil }
    for name in path.dropFirst(2) {
      guard let next = found[name] ?? Int(name).flatMap({ found[$0] }) else { return nil }
      found = next
    }
    return found
  }

  /// Writes the referenced schemas as members, including schemas that are referenced only by other
  /// referenced schemas. Writes nothing if there are none.
  mutating func writeComponents(_ writer: inout JSONWriter) {
    var writtenOthers = 0
    var place = 0
    while place < wanted.count || writtenOthers < others.count {
      if place < wanted.count {
        let name = wanted[place]
        place += 1
        guard let key = names[name] else { continue }
        do throws(SchemaProblem) {
          guard let schema = try file?.definition(name) else { continue }
          writer.write(key: key)
          write(schema, &writer)
        } catch {
          problems.append(.init("the schema '\(name)'", "\(error)"))
          writer.write(key: key, true)
        }
      } else {
        let (name, schema) = others[writtenOthers]
        writtenOthers += 1
        writer.write(key: name)
        write(schema, &writer)
      }
    }
  }

  var hasComponents: Bool { !wanted.isEmpty || !others.isEmpty }
}
