import CLullBridge
import LullArguments
import LullCore
import LullHost
import LullLuaSource

/// A parameter as an API file declares it. Its location and other properties are determined when
/// the whole call is known.
struct DeclaredParameter {
  var parameter: CallParameter
  var place: CallParameter.Place?
  var wireName: String?
  var style: ParameterStyle?
  var explodes: Bool?
  /// Whether the file names the type.
  var hasType = false
}

/// Reads the parameters that calls declare.
extension APIDeclaration {
  /// - Parameter graphQL: The operation of the call, whose variables have types.
  func parameter(
    _ key: lull_value, _ value: lull_value, _ state: OpaquePointer?, of call: String,
    _ graphQL: GraphQLCall?
  ) throws(Misuse) -> DeclaredParameter {
    guard let name = key.string, APIDeclaration.isName(name) else {
      throw .message(
        "parameter names have letters, digits, '_', '-' and '.', got "
          + key.described)
    }
    var declared = DeclaredParameter(parameter: CallParameter(name: name))
    let index = LuaTable.visitedIndex(in: state)
    if value.string != nil {
      declared.hasType = true
      try readType(value, index, state, into: &declared.parameter)
      return declared
    }
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message(
        "parameter '\(name)' must be a type, a list of words or a table, got "
          + value.described)
    }
    if lull_table_length(state, index) > 0 {
      declared.hasType = true
      try readType(value, index, state, into: &declared.parameter)
      return declared
    }
    var hasStandard = false
    do throws(Misuse) {
      try reading.options.forEach(of: index, in: state, known: Self.parameterKeys) {
        key, value throws(Misuse) in
        // The default is read when the parameter's type is known.
        if key == "default" { return hasStandard = true }
        try read(key, value, LuaTable.visitedIndex(in: state), state, into: &declared)
      }
    } catch {
      // Messages about the type already begin with the name.
      let start = "parameter '\(name)'"
      throw .message(error.text.hasPrefix(start) ? error.text : "\(start): \(error.text)")
    }
    if let variable = graphQL?.variable(of: declared), !declared.hasType {
      let isList = declared.parameter.isList
      declared.parameter.setKind(of: variable)
      if isList { declared.parameter.isList = true }
    }
    let parameter = declared.parameter
    if parameter.isRequired, hasStandard {
      throw .message("parameter '\(name)' cannot be required and have a default")
    }
    if hasStandard {
      guard parameter.kind != .file else {
        throw .message("parameter '\(name)' is a file and cannot have a default")
      }
      try LuaTable(index, in: state).forEachField { key, value throws(Misuse) in
        guard key.string == "default" else { return }
        declared.parameter.standard = try values.value(
          value, LuaTable.visitedIndex(in: state), state, for: parameter)
        guard case .json(let json)? = declared.parameter.standard,
          let layout = text.layout.parameters(of: call)?[name]?["default"]
        else { return }
        declared.parameter.standard = .json(layout.ordering(json))
      }
    }
    return declared
  }

  var values: ParameterValueReader { ParameterValueReader(handles: handles, json: reading.json) }

  /// Reads one setting of a parameter, except the default.
  private func read(
    _ key: String, _ value: lull_value, _ index: Int32, _ state: OpaquePointer?,
    into declared: inout DeclaredParameter
  ) throws(Misuse) {
    switch key {
    case "type":
      declared.hasType = true
      try readType(value, index, state, into: &declared.parameter)
    case "description": declared.parameter.description = try value.text(key)
    case "required": declared.parameter.isRequired = try flag(value, key)
    case "option":
      let text = try value.text(key)
      let name = text.hasPrefix("--") ? String(text.dropFirst(2)) : text
      guard APIDeclaration.isName(name) else {
        throw .message("'option' must be a name such as \"--page-size\", got '\(text)'")
      }
      declared.parameter.optionName = name
    case "place":
      declared.place = try word(value, key, CallParameter.Place.allCases.map { ($0.rawValue, $0) })
    case "style":
      declared.style = try word(value, key, ParameterStyle.allCases.map { ($0.rawValue, $0) })
    case "name":
      let text = try value.text(key)
      guard !text.isEmpty else { throw .message("'name' must not be empty") }
      declared.wireName = text
    case "list": if try flag(value, key) { declared.parameter.isList = true }
    case "explode": declared.explodes = try flag(value, key)
    case "reserved": declared.parameter.keepsReserved = try flag(value, key)
    default: declared.parameter.isWhole = try flag(value, key)
    }
  }

  private func flag(_ value: lull_value, _ key: String) throws(Misuse) -> Bool {
    guard let flag = value.bool else {
      throw .message("'\(key)' must be true or false, got \(value.described)")
    }
    return flag
  }

  /// Reads a setting whose value is one of several words.
  private func word<Value>(
    _ value: lull_value, _ key: String, _ words: [(word: String, value: Value)]
  ) throws(Misuse) -> Value {
    let text = value.string ?? ""
    if let known = words.first(where: { $0.word == text })?.value { return known }
    let names = words.map(\.word)
    let near = NearestName.suggestion(for: text, among: names)
    throw .message(
      "'\(key)' must be \(WordList.text(names)), got \(value.described)"
        + (near.map { " (did you mean '\($0)'?)" } ?? ""))
  }

  /// Reads a type. It is a word, with `[]` at its end for a list, or it is a list of the allowed
  /// words or integers.
  private func readType(
    _ value: lull_value, _ index: Int32, _ state: OpaquePointer?,
    into parameter: inout CallParameter
  ) throws(Misuse) {
    let name = parameter.name
    if value.kind == Int32(LULL_TABLE) {
      if let numbers = try integers(index, state, name) {
        parameter.kind = .integer
        parameter.integers = numbers
        return
      }
      let words = try strings(value, index, state, name)
      guard !words.isEmpty else {
        throw .message("parameter '\(name)' needs a list of at least one word")
      }
      parameter.kind = .choice(words)
      return
    }
    var word = value.string ?? ""
    if word.hasSuffix("[]") {
      parameter.isList = true
      word.removeLast(2)
    }
    switch word {
    case "string": parameter.kind = .string
    case "number": parameter.kind = .number
    case "integer": parameter.kind = .integer
    case "boolean": parameter.kind = .boolean
    case "json": parameter.kind = .json
    case "object": parameter.kind = .object
    case "file": parameter.kind = .file
    default:
      let near = NearestName.suggestion(for: word, among: Self.types)
      throw .message(
        "parameter '\(name)' has the unknown type \(value.described)"
          + (near.map { " (did you mean '\($0)'?)" }
            ?? "; a type is \(WordList.text(Self.types)), with [] for a list of them, or a list of "
            + "words or integers"))
    }
  }

  /// Returns the integers in a list, in order. nil if the first element is not an integer.
  private func integers(
    _ index: Int32, _ state: OpaquePointer?, _ name: String
  ) throws(Misuse) -> [Int]? {
    var numbers: [(position: Int64, number: Int?)] = []
    try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER) else { return }
      let isInteger = element.kind == Int32(LULL_INTEGER)
      numbers.append((key.integer, isInteger ? Int(element.integer) : nil))
    }
    numbers.sort { $0.position < $1.position }
    guard numbers.first?.number != nil else { return nil }
    let found = numbers.compactMap(\.number)
    guard found.count == numbers.count else {
      throw .message("parameter '\(name)' must be a list of strings or a list of integers")
    }
    return found
  }
}
