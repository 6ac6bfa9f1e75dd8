import LullHost

/// A declared call as an object for Lua.
final class APICallBox: SelfDescribing {
  let call: APICall
  let api: APIFile

  var argumentNames: [String] { call.parameters.map(\.name) }

  func argumentWords(for name: String) -> [String] {
    switch call.parameters.first(where: { $0.name == name })?.kind {
    case .choice(let words)?: words
    default: []
    }
  }

  /// The text that `help` shows for the call: its request and its parameters.
  var helpText: String {
    var lines = ["\(api.name).\(call.name)", "  \(call.method) \(call.path)"]
    if let description = call.description { lines.append("  " + description) }
    let width = call.parameters.map(\.name.count).max() ?? 0
    if !call.parameters.isEmpty { lines.append("") }
    for parameter in call.parameters {
      let padding = String(repeating: " ", count: width - parameter.name.count)
      var parts = [parameter.typeName]
      switch parameter.place {
      case .header, .cookie: parts.append("\(parameter.place.rawValue) \(parameter.wireName)")
      default: break
      }
      if let standard = parameter.standard {
        parts.append("default \(standard.text)")
      } else if parameter.isRequired {
        parts.append("required")
      }
      if let description = parameter.description { parts.append(description) }
      lines.append("  \(parameter.name)\(padding)  \(parts.joined(separator: ", "))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  init(_ call: APICall, of api: APIFile) {
    self.call = call
    self.api = api
  }
}

/// The table of an API's calls as an object for Lua.
final class APICallsBox: FieldNaming {
  let api: APIFile

  var fieldNames: [String] { api.callNames }

  init(_ api: APIFile) { self.api = api }
}
