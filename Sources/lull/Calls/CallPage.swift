import LullArguments
import LullClients
import LullHost

/// The help page of an API file.
struct CallPage {
  private let api: APIFile
  private let calls: [APICall]

  /// - Parameter calls: All calls of the API.
  init(_ api: APIFile, _ calls: [APICall]) {
    self.api = api
    self.calls = calls
  }

  /// The description of the API, and its calls.
  var text: String {
    var text = "Usage: lull call \(api.name) CALL [--PARAMETER VALUE ...] [OPTIONS]\n\n"
    if let description = api.description { text += description + "\n\n" }
    text +=
      list
      + "\nlull call \(api.name) CALL --help shows the parameters of a call.\n"
    return text
  }

  var list: String { CallPage.list(of: calls) }

  static func list(of calls: [APICall]) -> String {
    guard !calls.isEmpty else { return "The API declares no calls.\n" }
    let width = calls.map(\.name.count).max() ?? 0
    var text = "Calls:\n"
    for call in calls {
      let padding = String(repeating: " ", count: width - call.name.count)
      text += "  \(call.name)\(padding)  \(call.description ?? request(of: call))\n"
    }
    return text
  }

  /// Method and path, with masks in place of credentials that the file writes into the path.
  static func request(of call: APICall) -> String {
    let note = call.graphQL.map { $0.kind + ($0.name.map { " \($0)" } ?? "") }
    return "\(call.method) \(Masking.url(call.path))"
      + (note.map { " (\($0))" } ?? (call.isSafe ? " (safe)" : ""))
  }

  /// The options that all calls of an API have.
  static func options(hasPages: Bool) -> [Argument] {
    OptionTable.requests + (hasPages ? OptionTable.pages : []) + [OptionTable.baseURL]
  }

  /// Options that a parameter of the same name replaces. (PAR-16)
  private static let yielding: Set<String> = ["--as", "--retry", "--base-url", "--errors"]

  /// The option names that parameters can't have.
  static func taken(hasPages: Bool) -> Set<String> {
    Set(options(hasPages: hasPages).flatMap(\.names) + ["--help"]).subtracting(yielding)
  }

  /// The options that parameters of this call replace.
  static func yielded(to call: APICall) -> Set<String> {
    yielding.intersection(call.options(beside: taken(hasPages: call.hasPages)))
  }

  /// The command line of a call: its parameters, and the options shared by all calls. The shared
  /// options have the same meaning for every API file.
  static func spec(of call: APICall, in api: String) -> ArgumentSpec {
    let yielded = yielded(to: call)
    let options = options(hasPages: call.hasPages).filter { yielded.isDisjoint(with: $0.names) }
    let names = call.options(beside: taken(hasPages: call.hasPages))
    let parameters = zip(call.parameters, names).map { parameter, name -> Argument in
      var choices = parameter.integers.map { String($0) }
      if case .choice(let words) = parameter.kind { choices = words }
      return Argument(
        names: [name],
        kind: parameter.kind == .boolean && !parameter.isList ? .boolean : .string,
        placeholder: CallPage.placeholder(parameter), choices: choices,
        category: ArgumentHelp.parameters,
        help: CallPage.help(of: parameter), isRepeated: parameter.isRepeated,
        isRequired: parameter.isRequired, isCommon: true, standard: parameter.standard?.text)
    }
    var spec = ArgumentSpec(
      name: "lull call \(api) \(call.name)",
      description: [call.description, request(of: call)].compactMap(\.self)
        .joined(separator: "\n\n"),
      arguments: parameters + options)
    spec.manual = "lull help call"
    return spec
  }

  /// The description of a parameter. Names the header, cookie or whole body that the parameter
  /// sets. For the path, the query and body fields, the location is not mentioned.
  private static func help(of parameter: CallParameter) -> String? {
    let place: String? =
      switch parameter.place {
      case .header: "the header \(parameter.wireName)"
      case .cookie: "the cookie \(parameter.wireName)"
      case .body where parameter.isWhole: "the body"
      default: nil
      }
    guard let place else { return parameter.description }
    return parameter.description.map { "\($0); \(place)" } ?? place
  }

  private static func placeholder(_ parameter: CallParameter) -> String {
    switch parameter.kind {
    case .integer: "N"
    case .number: "X"
    case .json: "JSON"
    case .object: "NAME=VALUE"
    case .file: "FILE"
    default: parameter.name.replacing("_", with: "-").uppercased()
    }
  }
}
