import LullArguments
package import LullCore
import LullHost

/// A call as an API file declares it: what to ask for, and what may be said to it.
package struct APICall {
  package enum BodyForm: String {
    case json
    case form
  }

  package var name: String
  /// With `{name}` where a parameter stands; a query may follow.
  package var path = ""
  package var method = RequestMethod.get
  package var description: String?
  /// Those of the path first, in its order, then the others by name.
  package var parameters: [CallParameter] = []
  package var columns: [String] = []
  /// Where the rows are in its answer: names of fields with dots between them; nil: the answer is what they are.
  package var rows: String?
  package var headers = Headers()
  package var bodyForm = BodyForm.json
  /// nil: the call's answer does not come in pages.
  var pages: LuaPages.Options?
  /// What `lull mock` answers it with.
  package var mock = CallMock()

  package var hasPages: Bool { pages != nil }

  /// Whether parameters that are not in the path go into a body.
  var hasBody: Bool { ![.get, .head, .delete, .options].contains(method) }

  /// The names in braces, in order, each once.
  static func names(inPath path: String) -> [String] {
    var names: [String] = []
    var rest = path[...]
    while let open = rest.firstIndex(of: "{") {
      let inside = rest[rest.index(after: open)...]
      guard let close = inside.firstIndex(of: "}") else { break }
      let name = String(inside[..<close])
      if !name.isEmpty, !names.contains(name) { names.append(name) }
      rest = inside[inside.index(after: close)...]
    }
    return names
  }

  /// What is wrong with the places for parameters in a path, in words; nil if nothing is.
  static func problem(withPlacesIn path: String) -> String? {
    let hint = "; a brace that is meant as such is written %7B or %7D"
    var open: String?
    for character in path {
      switch (character, open) {
      case ("{", nil): open = ""
      case ("{", let name?): return "its path has a '{' inside of '{\(name)'" + hint
      case ("}", nil): return "its path has a '}' that no '{' opens" + hint
      case ("}", ""): return "its path has '{}', a parameter without a name"
      case ("}", let name?):
        guard APIDeclaration.isName(name) else {
          return "its path has the parameter '\(name)': parameters have names of letters, digits, "
            + "'_', '-' and '.'"
        }
        open = nil
      default: open?.append(character)
      }
    }
    return open == nil ? nil : "its path has a '{' that no '}' closes" + hint
  }

  /// What each parameter is called on a command line that has these options of its own: those keep
  /// their names, whatever a file declares.
  package func options(beside taken: Set<String>) -> [String] {
    let wanted = parameters.map(\.option)
    var used = taken.union(wanted)
    return zip(parameters, wanted).map { parameter, option in
      // per_page and per-page would be one.
      var option = wanted.count { $0 == option } > 1 ? "--" + parameter.name : option
      guard taken.contains(option) else { return option }
      repeat { option = "--param-" + option.dropFirst(2) } while !used.insert(option).inserted
      return option
    }
  }

  /// What is wrong with what was given for a call.
  package struct Misfit: Error {
    package let message: String
  }

  /// The values of all parameters: what is given, checked, and what is not but has a default.
  package func complete(_ given: [String: CallValue]) throws(Misfit) -> [String: CallValue] {
    for name in given.keys.sorted() where !parameters.contains(where: { $0.name == name }) {
      throw unknown(name)
    }
    var values = given
    for parameter in parameters where values[parameter.name] == nil {
      if let standard = parameter.standard {
        values[parameter.name] = standard
      } else if parameter.isRequired {
        throw Misfit(
          message: "call '\(name)' needs the parameter '\(parameter.name)'; \(parameterList)")
      }
    }
    return values
  }

  /// The value of a text given for a parameter.
  package func value(of text: String, for name: String) throws(Misfit) -> CallValue {
    guard let parameter = parameters.first(where: { $0.name == name }) else { throw unknown(name) }
    guard let value = parameter.value(ofText: text) else {
      throw Misfit(
        message: "the parameter '\(name)' of call '\(self.name)' must be "
          + "\(parameter.expectation), got '\(text)'")
    }
    return value
  }

  func unknown(_ parameter: String) -> Misfit {
    let near = NearestName.suggestion(for: parameter, among: parameters.map(\.name))
    return Misfit(
      message: "call '\(name)' has no parameter '\(parameter)'"
        + (near.map { " (did you mean '\($0)'?)" } ?? "; \(parameterList)"))
  }

  /// What there is, for messages.
  private var parameterList: String {
    guard !parameters.isEmpty else { return "it has none" }
    let names = parameters.map { $0.isRequired ? $0.name : "[\($0.name)]" }
    return "it has \(names.joined(separator: ", "))"
  }
}

extension CallParameter {
  /// What a value must be, in words.
  package var expectation: String {
    switch kind {
    case .string: "a string"
    case .number: "a number"
    case .integer: "a whole number"
    case .boolean: "true or false"
    case .choice(let words): WordList.text(words)
    case .json: "JSON"
    }
  }
}
