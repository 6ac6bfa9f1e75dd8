import CLullBridge
import LullArguments
import LullCore
import LullHost

/// The parameters of calls.
extension APIDeclaration {
  func parameter(_ key: lull_value, _ value: lull_value, _ state: OpaquePointer?)
    throws(Misuse) -> CallParameter
  {
    guard let name = key.string, APIDeclaration.isName(name) else {
      throw .message(
        "parameters have names of letters, digits, '_', '-' and '.', got "
          + key.described)
    }
    var parameter = CallParameter(name: name)
    let index = LuaTable.visitedIndex(in: state)
    if value.string != nil {
      parameter.kind = try kind(value, index, state, name)
      return parameter
    }
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message(
        "parameter '\(name)' must be a type, a list of words or a table, got "
          + value.described)
    }
    if lull_table_length(state, index) > 0 {
      parameter.kind = try kind(value, index, state, name)
      return parameter
    }
    var standard: lull_value?
    var standardJSON: [UInt8]?
    do throws(Misuse) {
      try reading.options.forEach(of: index, in: state, known: Self.parameterKeys) {
        key, value throws(Misuse) in
        let index = LuaTable.visitedIndex(in: state)
        switch key {
        case "type": parameter.kind = try kind(value, index, state, name)
        case "description": parameter.description = try value.text(key)
        case "required":
          guard let isRequired = value.bool else {
            throw .message("'required' must be true or false, got \(value.described)")
          }
          parameter.isRequired = isRequired
        case "option":
          let text = try value.text(key)
          let name = text.hasPrefix("--") ? String(text.dropFirst(2)) : text
          guard APIDeclaration.isName(name) else {
            throw .message("'option' must be a name such as \"--page-size\", got '\(text)'")
          }
          parameter.optionName = name
        default:
          standard = value
          standardJSON = try? reading.json.text(of: state, index).get()
        }
      }
    } catch {
      // What is about its type names it already.
      let start = "parameter '\(name)'"
      throw .message(error.text.hasPrefix(start) ? error.text : "\(start): \(error.text)")
    }
    if parameter.isRequired, standard != nil {
      throw .message("parameter '\(name)' cannot be required and have a default")
    }
    if let standard {
      parameter.standard = try parameter.value(of: standard, json: standardJSON, handles)
    }
    return parameter
  }

  private func kind(_ value: lull_value, _ index: Int32, _ state: OpaquePointer?, _ name: String)
    throws(Misuse) -> CallParameter.Kind
  {
    if value.kind == Int32(LULL_TABLE) {
      let words = try strings(value, index, state, name)
      guard !words.isEmpty else {
        throw .message("parameter '\(name)' needs a list of one word or more")
      }
      return .choice(words)
    }
    let word = value.string ?? ""
    switch word {
    case "string": return .string
    case "number": return .number
    case "integer": return .integer
    case "boolean": return .boolean
    case "json": return .json
    default:
      let near = NearestName.suggestion(for: word, among: Self.types)
      throw .message(
        "parameter '\(name)' has the unknown type \(value.described)"
          + (near.map { " (did you mean '\($0)'?)" }
            ?? "; there are \(WordList.text(Self.types)), or a list of words"))
    }
  }

  /// Says of each where it goes; those of the path come first, in its order, and are required.
  func arranged(_ declared: [CallParameter], of call: APICall, at: [String])
    throws(APIFileProblem) -> [CallParameter]
  {
    var rest = declared.sorted { $0.name < $1.name }
    var arranged: [CallParameter] = []
    for name in APICall.names(inPath: call.path) {
      let position = rest.firstIndex { $0.name == name }
      if position == nil {
        checker?.note(
          "call '\(call.name)': its path has the parameter '\(name)', which 'params' does not declare",
          at: SourcePlace(file: path, line: places.line(of: at + ["path"])))
      }
      var parameter = position.map { rest.remove(at: $0) } ?? CallParameter(name: name)
      parameter.place = .path
      parameter.isRequired = parameter.standard == nil
      guard parameter.kind != .json else {
        throw problem(
          at + ["params", name],
          "call '\(call.name)': parameter '\(name)' cannot be JSON: it stands "
            + "in the path")
      }
      arranged.append(parameter)
    }
    for var parameter in rest {
      parameter.place = call.hasBody ? .body : .query
      guard parameter.kind != .json || call.hasBody && call.bodyForm == .json else {
        throw problem(
          at + ["params", parameter.name],
          "call '\(call.name)': parameter '\(parameter.name)' cannot be JSON: there is no JSON body"
        )
      }
      arranged.append(parameter)
    }
    return arranged
  }
}
