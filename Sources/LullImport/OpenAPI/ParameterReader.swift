import LullCore

/// Converts the parameters and properties of a document to call parameters.
struct ParameterReader {
  let document: OpenAPIDocument
  /// The options of `lull call` itself, which parameters must not use.
  let taken: Set<String>

  /// Returns the parameters of an operation in order, including the parameters of its path item.
  ///
  /// - Parameter hasBody: Whether parameters of the call are sent in the body by default.
  func parameters(
    of operation: ImportNode, in item: ImportNode, hasBody: Bool
  ) throws(DocumentProblem) -> [ImportedParameter] {
    var found: [ImportNode] = []
    var places: [[UInt8]: Int] = [:]
    for list in [item["parameters"], operation["parameters"]] {
      for written in list?.elements ?? [] {
        let node = try document.resolved(written)
        guard let name = node.string("name"), let place = node.string("in") else {
          throw DocumentProblem("one of the parameters has no 'name' or no 'in'")
        }
        let key = place + "\u{0}" + (place == "header" ? name.lowercased() : name)
        if let index = places[Array(key.utf8)] {
          found[index] = node
        } else {
          places[Array(key.utf8)] = found.count
          found.append(node)
        }
        try ParameterReader.check(count: found.count)
      }
    }
    var parameters: [ImportedParameter] = []
    for node in found {
      if document.version >= .v32, node.string("in") == "querystring" {
        parameters += try query(node, hasBody: hasBody)
      } else if let parameter = try parameter(node, hasBody: hasBody) {
        parameters.append(parameter)
      }
    }
    return parameters
  }

  /// Throws if there are too many parameters. No real document has that many, and reading them
  /// would take long.
  static func check(count: Int) throws(DocumentProblem) {
    guard count <= 1000 else {
      throw DocumentProblem("the operation has more than 1,000 parameters")
    }
  }

  private func parameter(_ node: ImportNode, hasBody: Bool) throws(DocumentProblem)
    -> ImportedParameter?
  {
    let name = node.string("name") ?? ""
    guard let place = ImportedParameter.Place(rawValue: node.string("in") ?? ""), place != .body
    else {
      throw DocumentProblem(
        "the parameter '\(ShortText.comment(name))' is in the unknown place "
          + "'\(ShortText.comment(node.string("in") ?? ""))'"
      )
    }
    // These headers are set by calls, bodies and credentials instead.
    if place == .header, ["accept", "content-type", "authorization"].contains(name.lowercased()) {
      return nil
    }
    guard !name.isEmpty else { throw DocumentProblem("one of the parameters has an empty name") }
    if place == .header || place == .cookie, !Headers.isName(name) {
      guard node.bool("required") == true else { return nil }
      throw DocumentProblem(
        "the parameter '\(ShortText.comment(name))' is not a valid \(place.rawValue) name")
    }
    var parameter = ImportedParameter(key: name, place: place)
    parameter.isRequired = place == .path || node.bool("required") == true
    parameter.description = node.string("description")
    parameter.saysPlace =
      place == .header || place == .cookie || place == .query && hasBody
    if node["schema"] == nil, let content = document.contents(of: node).first {
      guard place != .path else {
        throw DocumentProblem(
          "the path parameter '\(ShortText.comment(name))' has the type \(ShortText.comment(content.key))"
        )
      }
      parameter.kind = MediaType.isJSON(content.key) ? .json : .string
      return parameter
    }
    var shape = SchemaShape.of(node["schema"], in: document)
    if shape.kind == .any, let container = shape.container.first { shape = container }
    let isNested = set(&parameter, by: shape, isJSON: false)
    parameter.isTime = shape.format?.hasPrefix("date") == true
    if place == .query, node.string("style") == "deepObject",
      isNested || shape.isDeep(node["schema"], in: document)
    {
      parameter.setDeep()
    } else {
      let isContainer = parameter.isList || parameter.kind == .object
      setStyle(&parameter, node.string("style"), node.bool("explode"), isContainer: isContainer)
      parameter.lacksForm = isNested
    }
    let schema = document.target(of: node["schema"])
    parameter.firstPage = schema.flatMap { $0["default"] ?? $0["minimum"] }?.element.int
    // If only one value is possible, make it the default.
    if parameter.isRequired, !parameter.isList, place != .path, let only = parameter.onlyValue {
      parameter.standard = only
      parameter.isRequired = false
    }
    parameter.isReserved = isReserved(node, place)
    if place == .path, let standard = (node["schema"]?["default"] ?? schema?["default"])?.element,
      parameter.isList == false,
      parameter.kind != .object, fits(standard, parameter)
    {
      parameter.setStandard(standard.plainValue, of: standard)
    }
    return parameter
  }

  /// Whether reserved characters of a value are sent unescaped. Before version 3.2, OpenAPI allows
  /// this only in queries. The style `cookie` escapes nothing.
  private func isReserved(_ node: ImportNode, _ place: ImportedParameter.Place) -> Bool {
    guard document.version >= .v32 else {
      return node.bool("allowReserved") == true && place == .query
    }
    return place == .cookie && node.string("style") == "cookie"
      || node.bool("allowReserved") == true && place != .header
  }

  private func fits(_ value: JSONElement, _ parameter: ImportedParameter) -> Bool {
    if parameter.kind == .integer, !parameter.integers.isEmpty {
      return value.int.map { parameter.integers.contains($0) } ?? false
    }
    return switch parameter.kind {
    case .string: value.string.map { !["", ".", ".."].contains($0) } ?? false
    case .choice(let words): value.string.map { words.contains($0) } ?? false
    case .integer: value.int != nil || value.integerDigits != nil
    case .number: value.double != nil
    case .boolean: value.bool != nil
    default: false
    }
  }

  /// Sets the style and `explode` if they are not the defaults for the parameter's location.
  private func setStyle(
    _ parameter: inout ImportedParameter, _ style: String?, _ explode: Bool?, isContainer: Bool
  ) {
    let usual = [.path, .header].contains(parameter.place) ? "simple" : "form"
    let styles: Set<String> =
      switch parameter.place {
      case .path: ["simple", "label", "matrix"]
      case .query:
        isContainer ? ["form", "spaceDelimited", "pipeDelimited", "deepObject"] : ["form"]
      case .header: ["simple"]
      case .cookie, .body: ["form"]
      }
    var style = style.flatMap { styles.contains($0) ? $0 : nil } ?? usual
    // For objects, these two styles have no exploded form.
    if parameter.kind == .object, explode == true,
      ["spaceDelimited", "pipeDelimited"].contains(style)
    {
      style = usual
    }
    // The style would append brackets to a list's name that already ends in brackets.
    if style == "deepObject", parameter.isList, parameter.key.hasSuffix("[]") { style = usual }
    if style != usual { parameter.style = style }
    let explodes = explode ?? (style == "form")
    if isContainer, style != "deepObject", explodes != (style == "form") {
      parameter.explode = explodes
    }
  }

  /// Sets the type of a parameter by the shape of its schema.
  ///
  /// - Returns: Whether the value can't be serialized in the parameter's location.
  @discardableResult
  func set(_ parameter: inout ImportedParameter, by shape: SchemaShape, isJSON: Bool) -> Bool {
    switch shape.kind {
    case .string, .null: parameter.kind = .string
    case .number: parameter.kind = .number
    case .integer:
      parameter.kind = .integer
      parameter.integers = shape.integers
    case .boolean: parameter.kind = .boolean
    case .choice(let words): parameter.kind = .choice(words)
    case .object: parameter.kind = isJSON ? .json : .object
    case .any: parameter.kind = isJSON ? .json : .string
    case .array:
      let items = SchemaShape.of(shape.items, in: document)
      switch items.kind {
      case .object, .array, .any, .null:
        if isJSON {
          parameter.kind = .json
        } else {
          parameter.kind = .string
          parameter.isList = true
        }
        return !isJSON && items.kind != .any
      default:
        set(&parameter, by: items, isJSON: isJSON)
        parameter.isList = true
      }
    }
    return false
  }

  // MARK: Forms

  /// Sets the type and style of a field in a form, or in a query that is written like a form.
  func setField(
    _ parameter: inout ImportedParameter, _ schema: ImportNode, _ shape: SchemaShape,
    _ encoding: ImportNode?
  ) {
    let isNested = set(&parameter, by: shape, isJSON: false)
    if encoding?.string("style") == "deepObject",
      isNested || shape.isDeep(schema, in: document)
    {
      parameter.setDeep()
    } else if !setJSON(&parameter, encoding) {
      setFormStyle(&parameter, encoding)
      parameter.lacksForm = isNested
    }
  }

  private func setFormStyle(_ parameter: inout ImportedParameter, _ encoding: ImportNode?) {
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

  /// If the document declares a form field as JSON, makes the parameter a JSON parameter. Returns
  /// whether the field is declared as JSON.
  @discardableResult
  func setJSON(_ parameter: inout ImportedParameter, _ encoding: ImportNode?) -> Bool {
    guard let type = encoding?.string("contentType"), MediaType.isJSON(type),
      encoding?.string("style") == nil
    else { return false }
    parameter.kind = .json
    parameter.isList = false
    return true
  }

  /// Returns the parameters of a query that an operation describes as a whole. (OpenAPI 3.2,
  /// "querystring") Members of a form become parameters. A query of another type is one parameter in
  /// the path, because nothing but its value follows the question mark.
  private func query(_ node: ImportNode, hasBody: Bool) throws(DocumentProblem)
    -> [ImportedParameter]
  {
    let name = node.string("name") ?? "query"
    guard let content = document.contents(of: node).first else {
      throw DocumentProblem("the query '\(ShortText.comment(name))' has no content")
    }
    let isRequired = node.bool("required") == true
    guard MediaType.essence(content.key) == "application/x-www-form-urlencoded" else {
      var parameter = ImportedParameter(key: ParameterReader.key(for: name), place: .path)
      parameter.isRequired = true
      parameter.isWhole = true
      parameter.description = node.string("description")
      return [parameter]
    }
    let properties =
      content.value["schema"].map { ObjectShape($0, in: document).properties } ?? []
    guard !properties.isEmpty else {
      var parameter = ImportedParameter(key: name, place: .query)
      parameter.kind = .object
      parameter.isRequired = isRequired
      parameter.saysPlace = hasBody
      parameter.description = node.string("description")
      return [parameter]
    }
    return properties.map { property in
      var parameter = ImportedParameter(key: property.name, place: .query)
      parameter.isRequired = isRequired && property.isRequired
      parameter.saysPlace = hasBody
      parameter.description = property.schema.string("description")
      var shape = SchemaShape.of(property.schema, in: document)
      if shape.kind == .any, let container = shape.container.first { shape = container }
      setField(
        &parameter, property.schema, shape, content.value["encoding"]?[property.name])
      return parameter
    }
  }

  // MARK: Names

  /// Gives each parameter a unique key, and renames the placeholders in the path accordingly.
  /// Throws if that is not possible.
  func named(
    _ parameters: [ImportedParameter], path: inout String
  ) throws(DocumentProblem) -> [ImportedParameter] {
    var used: Set<String> = []
    var named: [ImportedParameter] = []
    var parameters = parameters
    // A placeholder in the path without a declared parameter is a string. Many documents lack such
    // a declaration.
    let places = APIPathPlaces.names(in: path)
    try ParameterReader.check(count: parameters.count + places.count)
    for name in places
    where !name.isEmpty && !parameters.contains(where: { $0.place == .path && $0.key == name }) {
      var parameter = ImportedParameter(key: name, place: .path)
      parameter.isRequired = true
      parameters.append(parameter)
    }
    var keys: [(name: String, key: String)] = []
    // Path parameters are named first, so that their names are kept.
    let ordered = parameters.filter { $0.place == .path } + parameters.filter { $0.place != .path }
    for var parameter in ordered {
      let name = parameter.name ?? parameter.key
      var key = ParameterReader.key(for: name)
      if used.contains(key) { key = "\(parameter.place.rawValue)_\(key)" }
      var number = 2
      let start = key
      while !used.insert(key).inserted {
        key = "\(start)_\(number)"
        number += 1
      }
      parameter.key = key
      if parameter.place == .path {
        parameter.name = nil
        keys.append((name, key))
      } else {
        parameter.name = key == name || parameter.isWhole ? nil : name
      }
      let option = "--" + ParameterReader.dashed(key)
      if taken.contains(option) {
        parameter.option = "--\(parameter.place.rawValue)-" + ParameterReader.dashed(key)
      }
      named.append(parameter)
    }
    path = try ParameterReader.path(path, keys)
    let inPath = APIPathPlaces.names(in: path).compactMap { key in
      named.first { $0.place == .path && $0.key == key }
    }
    return inPath + named.filter { $0.place != .path && $0.isRequired }
      + named.filter { $0.place != .path && !$0.isRequired }
  }

  /// Converts a name to letters, digits, `_`, `-` and `.`, for use in braces and as an option.
  static func key(for name: String) -> String {
    var key = ""
    var isBroken = false
    for scalar in name.unicodeScalars.prefix(80) {
      let isFine =
        scalar.isASCII
        ? (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "_-.".unicodeScalars.contains(scalar))
        : false
      if isFine {
        if isBroken, !key.isEmpty { key += "_" }
        isBroken = false
        key.unicodeScalars.append(scalar)
      } else {
        isBroken = true
      }
    }
    while key.hasPrefix("-") || key.hasPrefix(".") { key.removeFirst() }
    return key.isEmpty ? "parameter" : key
  }

  private static func dashed(_ name: String) -> String {
    let start = name.prefix { $0 == "_" }
    return String(start) + name.dropFirst(start.count).replacing("_", with: "-")
  }

  /// Replaces the placeholders in a path with the parameters' keys.
  private static func path(
    _ path: String, _ keys: [(name: String, key: String)]
  ) throws(DocumentProblem) -> String {
    var result = ""
    var rest = path[...]
    var missing = keys.map(\.key)
    while let open = rest.firstIndex(of: "{") {
      let inside = rest[rest.index(after: open)...]
      guard let close = inside.firstIndex(of: "}") else {
        throw DocumentProblem("the path has a '{' that no '}' closes")
      }
      let name = inside[..<close]
      guard let key = keys.first(where: { $0.name.utf8.elementsEqual(name.utf8) })?.key else {
        throw DocumentProblem("the path has '{}', a parameter without a name")
      }
      missing.removeAll { $0 == key }
      result += rest[..<open] + "{\(key)}"
      rest = inside[inside.index(after: close)...]
    }
    guard !rest.contains("}") else { throw DocumentProblem("the path has a '}' that no '{' opens") }
    guard missing.isEmpty else {
      throw DocumentProblem(
        "the path parameter '\(missing[0])' does not occur in the path")
    }
    return result + rest
  }
}

/// Finds the placeholders in a path.
enum APIPathPlaces {
  static func names(in path: String) -> [String] {
    var names: [String] = []
    var seen: Set<String> = []
    for part in path.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
      let name = String(part.prefix { $0 != "}" })
      if seen.insert(name).inserted { names.append(name) }
    }
    return names
  }
}
