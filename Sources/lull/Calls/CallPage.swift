import LullHost

/// Help that comes from an API's file.
struct CallPage {
  private let api: APIFile

  init(_ api: APIFile) { self.api = api }

  /// What the API is, and its calls.
  var text: String {
    var text = "Usage: lull call \(api.name) CALL [--PARAMETER VALUE ...] [OPTIONS]\n\n"
    if let description = api.description { text += description + "\n\n" }
    text +=
      list
      + "\nlull call \(api.name) CALL --help tells its parameters, lull call --help the options.\n"
    return text
  }

  var list: String {
    guard !api.calls.isEmpty else { return "It declares no calls.\n" }
    let width = api.calls.map(\.name.count).max() ?? 0
    var text = "Calls:\n"
    for call in api.calls {
      let padding = String(repeating: " ", count: width - call.name.count)
      text += "  \(call.name)\(padding)  \(call.description ?? "\(call.method) \(call.path)")\n"
    }
    return text
  }

  /// The command line of a call: its parameters, and the options of all calls but for names that
  /// parameters have taken.
  static func spec(of call: APICall, in api: String) -> ArgumentSpec {
    let parameters = call.parameters.map { parameter -> ArgumentSpec.Argument in
      var choices: [String] = []
      if case .choice(let words) = parameter.kind { choices = words }
      return .init(
        names: [parameter.option], kind: parameter.kind == .boolean ? .flag : .string,
        placeholder: CallPage.placeholder(parameter), choices: choices,
        help: parameter.description, isRequired: parameter.isRequired,
        standard: parameter.standard?.text)
    }
    let taken = Set(call.parameters.map(\.option))
    let options = CallOptions.arguments + (call.hasPages ? CallOptions.pageArguments : [])
    return ArgumentSpec(
      name: "lull call \(api) \(call.name)",
      description: [call.description, "\(call.method) \(call.path)"].compactMap(\.self)
        .joined(separator: "\n\n"),
      arguments: parameters
        + options.compactMap { option in
          var option = option
          option.names.removeAll { taken.contains($0) }
          return option.names.isEmpty ? nil : option
        })
  }

  private static func placeholder(_ parameter: CallParameter) -> String {
    switch parameter.kind {
    case .integer: "N"
    case .number: "X"
    case .json: "JSON"
    default: String(parameter.option.dropFirst(2)).uppercased()
    }
  }
}
