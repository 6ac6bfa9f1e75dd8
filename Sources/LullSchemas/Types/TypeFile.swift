import LullCore

/// Writes a file of LuaCATS annotations for an API. It contains classes for the parameters and
/// responses of its calls.
///
/// Behaviours: SHP-01 to SHP-17.
package struct TypeFile {
  private static let heading = "---@meta _"
  private static let mark = "-- Written by `lull types`"

  private let api: String
  private let environments: [String]
  private let calls: [TypedCall]
  private let own: [String: OwnSchema]
  private let notes: [String]
  private var reader: TypeReader
  private var lines: [String] = []

  /// Creates the content of the file.
  ///
  /// - Parameters:
  ///   - api: The name that scripts pass to `lull.api`.
  ///   - environments: The names of the API's environments. Scripts append `@` and one of these
  ///     names to the name of the API.
  ///   - schemas: The schema file. If nil, responses have content of any type.
  ///   - own: The schemas that calls declare themselves, by the name of the call. For successful
  ///     responses, they take precedence over the schema file.
  ///   - notes: Lines to write at the beginning of the file.
  /// - Throws: An error if the schemas can't be read.
  package init(
    api: String, environments: [String] = [], calls: [TypedCall], schemas: SchemaFile?,
    own: [String: OwnSchema] = [:], notes: [String] = []
  ) throws(SchemaProblem) {
    self.api = api
    self.environments = environments
    self.calls = calls
    self.own = own
    self.notes = notes
    reader = TypeReader(schemas, api: api)
    try write(schemas)
  }

  package var text: String { lines.joined(separator: "\n") + "\n" }

  /// Returns whether the content of a file was written by this type.
  package static func isWritten(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: Array("\(heading)\n\(mark)".utf8))
  }

  // MARK: Parts

  private mutating func write(_ schemas: SchemaFile?) throws(SchemaProblem) {
    for name in schemas?.definitions ?? [] { _ = try reader.type(ofDefinition: name) }
    try writeClasses()
    var fields: [String] = []
    for call in calls {
      let name = try write(call, schemas)
      fields += field(call.name, name, isRequired: true, call.description)
      try writeClasses()
    }
    lines.append("---@class \(reader.names.prefix).Calls: lull.APICalls")
    lines += fields
    lines.append("")
    lines.append("---@class \(reader.names.prefix).API: lull.API")
    lines.append("---@field calls \(reader.names.prefix).Calls")
    lines.append("")
    // Declare an overload of `lull.api` that returns this API for its names.
    let names = ([api] + environments.map { "\(api)@\($0)" }).compactMap(AnnotationText.quoted)
    if !names.isEmpty {
      lines.append("-- luacheck: ignore 212 241")
      lines.append("---@class lull")
      lines.append("local lull = {}")
      lines.append("")
      lines.append("---@param name \(names.joined(separator: "|"))")
      lines.append("---@return \(reader.names.prefix).API")
      lines.append("function lull.api(name) end")
    }
    // A type is written on one line, however long it is.
    var head = [
      TypeFile.heading, TypeFile.mark + "; the next run overwrites it.",
      "-- luacheck: no max line length",
    ]
    head += notes.map { "-- " + AnnotationText.comment($0, limit: 1000) }
    head.append("")
    if let null = reader.nullName {
      head += ["--- JSON's null, `lull.null`.", "---@alias \(null) lightuserdata", ""]
    }
    lines = head + lines
  }

  private mutating func writeClasses() throws(SchemaProblem) {
    while let draft = reader.next() {
      let comment = AnnotationText.comment(draft.view.description)
      if !comment.isEmpty { lines.append("--- \(comment)") }
      lines.append("---@class \(draft.name)")
      let required = Set(draft.view.required)
      for name in draft.view.propertyNames {
        let schemas = draft.view.property(name)
        let type = try reader.type(of: schemas, hint: TypeFile.hint(draft.name, name))
        lines += field(
          name, type, isRequired: required.contains(name), TypeFile.description(of: schemas))
      }
      try writeOthers(of: draft, required)
      lines.append("")
    }
  }

  /// Writes the additional fields of a class: fields that only some branches of a choice have, and
  /// fields without fixed names.
  private mutating func writeOthers(of draft: TypeReader.Draft, _ required: Set<String>)
    throws(SchemaProblem)
  {
    guard let references = reader.references else { return }
    var seen = Set(draft.view.propertyNames)
    for branch in draft.view.choices.flatMap(\.self) {
      let view = try SchemaView([branch], references)
      for name in view.propertyNames where seen.insert(name).inserted {
        let type = try reader.type(
          of: view.property(name), hint: TypeFile.hint(draft.name, name))
        lines += field(
          name, type, isRequired: required.contains(name),
          TypeFile.description(of: view.property(name)))
      }
    }
    guard !draft.view.others.isEmpty else { return }
    let type = try reader.type(
      ofOneOf: draft.view.others, hint: TypeFile.hint(draft.name, "entry"))
    if type != "any" { lines.append("---@field [string] \(type)") }
  }

  /// Writes the classes of a call.
  ///
  /// - Returns: The name of the class that represents the call.
  private mutating func write(_ call: TypedCall, _ schemas: SchemaFile?) throws(SchemaProblem)
    -> String
  {
    let schema = try schemas?.call(call.name)
    let stem = AnnotationText.typeName(call.name)
    let content =
      if let own = own[call.name] { try content(of: own, call.name, stem, schemas) } else {
        try content(of: schema, stem)
      }
    var request = "lull.Request"
    var text: [String] = []
    if content != "any" {
      let entity = reader.newName(stem + "Entity")
      request = reader.newName(stem + "Request")
      text.append("---@class \(entity): lull.Entity")
      text.append("---@field content \(content)")
      text.append("")
      text.append("---@class \(request): lull.Request")
      text.append("---@field await fun(self: \(request)): \(entity)?, lull.RequestError?")
      text.append("")
    }
    var parameters = ""
    if !call.parameters.isEmpty {
      let name = reader.newName(stem + "Params")
      let isOptional = !call.parameters.contains(where: \.isRequired)
      parameters = "params\(isOptional ? "?" : ""): \(name)"
      text.append("---@class \(name)")
      for parameter in call.parameters {
        let declared = try self.schemas(of: parameter, in: schema)
        var type = parameter.type
        if type == nil, !declared.isEmpty {
          type = try reader.type(of: declared, hint: stem + "_" + parameter.name)
        }
        text += field(
          parameter.name, type ?? "any", isRequired: parameter.isRequired,
          parameter.description ?? TypeFile.description(of: declared))
      }
      text.append("")
    }
    let name = reader.newName(stem + "Call")
    text.append("--- \(AnnotationText.comment("\(call.method) \(call.path)"))")
    text.append("---@class \(name): lull.APICall")
    text.append("---@overload fun(\(parameters)): \(request)")
    text.append("")
    lines += text
    return name
  }

  /// Returns the schemas of a parameter. If the parameter is sent as a field of the body, these are
  /// the schemas of that field.
  private func schemas(of parameter: TypedCall.Parameter, in call: JSONElement?)
    throws(SchemaProblem) -> [JSONElement]
  {
    if let own = call?["parameters"]?[parameter.name] { return [own] }
    guard let references = reader.references, let body = call?["body"] else { return [] }
    return parameter.isWhole
      ? [body] : try SchemaView([body], references).property(parameter.name)
  }

  /// Returns the type of the content of a call's successful responses, from the schema that the
  /// call itself declares.
  private mutating func content(
    of own: OwnSchema, _ call: String, _ stem: String, _ schemas: SchemaFile?
  ) throws(SchemaProblem) -> String {
    let schema = try own.element(ofCall: call, in: schemas)
    switch own {
    case .definition(let name): return try reader.type(ofDefinition: name)
    case .document:
      var inner = TypeReader.Definitions(OwnSchema.file(schema, ofCall: call))
      reader.exchange(&inner)
      defer { reader.exchange(&inner) }
      let type = try reader.type(of: [schema], hint: stem)
      try writeClasses()
      return type
    }
  }

  /// Returns the type of the content of a call's successful responses, from the call's entry in the
  /// schema file.
  private mutating func content(of schema: JSONElement?, _ stem: String) throws(SchemaProblem)
    -> String
  {
    var types: [String] = []
    for (status, answer) in schema?["responses"]?.pairs ?? []
    where status.hasPrefix("2") || status == "default" {
      if status == "default", !types.isEmpty { continue }
      let type = try reader.type(of: [answer], hint: stem)
      for type in TypeReader.choices(type) where !types.contains(type) { types.append(type) }
    }
    return types.isEmpty || types.contains("any") ? "any" : types.joined(separator: "|")
  }

  private func field(_ name: String, _ type: String, isRequired: Bool, _ description: String?)
    -> [String]
  {
    let text = AnnotationText.comment(description)
    let comment = text.isEmpty ? "" : " # " + text
    if AnnotationText.isIdentifier(name) {
      return ["---@field \(name)\(isRequired ? "" : "?") \(type)\(comment)"]
    }
    guard let quoted = AnnotationText.quoted(name) else {
      return ["-- A field is omitted, because an annotation cannot express its name."]
    }
    return ["---@field [\(quoted)] \(type)\(isRequired ? "" : "|nil")\(comment)"]
  }

  private static func hint(_ owner: String, _ name: String) -> String {
    let own = owner.split(separator: ".").last.map(String.init) ?? owner
    return own + "_" + name
  }

  private static func description(of schemas: [JSONElement]) -> String? {
    schemas.lazy.compactMap { $0["description"]?.string }.first
  }
}

/// The properties of a call that are needed for its types.
package struct TypedCall: Sendable {
  package struct Parameter: Sendable {
    package var name: String
    /// The LuaCATS type of the parameter. If nil, the type is derived from the schemas.
    package var type: String?
    package var isRequired: Bool
    /// Whether the parameter is the whole request body.
    package var isWhole = false
    package var description: String?

    package init(name: String, type: String?, isRequired: Bool, description: String? = nil) {
      self.name = name
      self.type = type
      self.isRequired = isRequired
      self.description = description
    }

    /// Returns the type whose values are the given strings. If one of the strings can't be written
    /// in an annotation, returns `string`.
    package static func type(ofWords words: [String]) -> String {
      let quoted = words.compactMap { AnnotationText.quoted($0) }
      return quoted.count == words.count && !words.isEmpty
        ? quoted.joined(separator: "|") : "string"
    }
  }

  package var name: String
  package var method: String
  package var path: String
  package var description: String?
  package var parameters: [Parameter]

  package init(
    name: String, method: String, path: String, description: String? = nil,
    parameters: [Parameter] = []
  ) {
    self.name = name
    self.method = method
    self.path = path
    self.description = description
    self.parameters = parameters
  }
}

/// Generates the names of the types in one file. All names are unique.
struct TypeNames {
  let prefix: String
  private var taken: Set<String> = ["API", "Calls"]

  init(api: String) {
    var prefix = ""
    for scalar in api.unicodeScalars {
      let isPlain =
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      prefix.unicodeScalars.append(isPlain ? scalar : "_")
    }
    if let first = prefix.utf8.first, (0x30...0x39).contains(first) { prefix = "_" + prefix }
    // Lull's own annotations use the name `lull`.
    if prefix.isEmpty || prefix == "lull" { prefix += "_api" }
    self.prefix = prefix
  }

  /// Returns a name that is not used yet. It is derived from `text`.
  mutating func name(_ text: String) -> String {
    let stem = AnnotationText.typeName(text)
    var name = stem
    var count = 1
    while !taken.insert(name).inserted {
      count += 1
      name = "\(stem)\(count)"
    }
    return "\(prefix).\(name)"
  }
}

/// Converts texts from schemas and APIs so that they are safe in annotations: as names, as strings,
/// and as comments on one line.
enum AnnotationText {
  /// Words that have a special meaning in an annotation where a field name is expected.
  private static let reserved: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while", "private",
    "protected", "public", "package",
  ]

  static func isIdentifier(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first), !reserved.contains(text) else {
      return false
    }
    return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// Returns a text in quotes; nil if an annotation can't contain the text.
  static func quoted(_ text: String) -> String? {
    guard !text.unicodeScalars.contains(where: { isOdd($0) || $0 == "\\" }) else { return nil }
    if !text.contains("\"") { return "\"\(text)\"" }
    return text.contains("'") ? nil : "'\(text)'"
  }

  /// Returns a text as a comment on one line. The comment can't be mistaken for an annotation.
  /// Returns an empty string if there is nothing to write.
  static func comment(_ text: String?, limit: Int = 240) -> String {
    guard let text else { return "" }
    let line = text.unicodeScalars.split { isOdd($0) || $0 == " " }.map { String($0) }
      .joined(separator: " ")
    let start = line.drop { "@|-# ".contains($0) }
    guard start.count > limit else { return String(start) }
    let cut = start.prefix(limit)
    let end = cut.lastIndex(of: " ") ?? cut.endIndex
    return cut[..<end] + " …"
  }

  /// Returns whether a character ends a line or can hide text.
  private static func isOdd(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: true
    default: false
    }
  }

  /// Returns a type name without separators, in which each word is capitalized. For example,
  /// `full-repository` becomes `FullRepository`.
  static func typeName(_ text: String) -> String {
    var name = ""
    var startsWord = true
    for byte in text.utf8 {
      guard isLetter(byte) && byte != UInt8(ascii: "_") || (0x30...0x39).contains(byte) else {
        startsWord = true
        continue
      }
      let character = Character(Unicode.Scalar(byte))
      name += startsWord ? character.uppercased() : String(character)
      startsWord = false
    }
    guard let first = name.utf8.first else { return "Type" }
    return (0x30...0x39).contains(first) ? "_" + name : name
  }
}
