import LullCore
import LullHost

/// Collects the features of calls that a document can't express, each reported once for all calls.
struct ExportedTraits {
  private var calls: [(what: String, reason: String, names: [String])] = []
  private static let mostNames = 5

  mutating func add(_ call: APICall) {
    if call.mock.function != nil {
      add("the answers of 'mock'", "they are made by a function", call)
    }
    if call.parameters.contains(where: \.hasWrittenCredential) {
      add("a default of a parameter", "it may be a credential, and is written in the file", call)
    }
    let examples = call.mock.examples.map(\.answer) + (call.mock.example.map { [$0] } ?? [])
    if examples.contains(where: { !$0.body.isEmpty && !ResponseWriter.isShown($0) }) {
      add("an example", "it is no text", call)
    }
    switch call.pages?.next {
    case .asked?: add("'pages'", "the next page is found by a function", call)
    case .field?, .cursor?, .numbered?, .offset?:
      add("'pages'", "how pages go on has no place in OpenAPI", call)
    case .automatic?, .link?, nil: break
    }
    if call.responseType != nil {
      add("'response_type'", "the document has the type that the server sends", call)
    }
    let isShown = !call.columns.isEmpty || call.rows != nil
    if isShown { add("'columns' and 'rows'", "they are about what Lull shows", call) }
    if call.parameters.contains(where: { $0.optionName != nil }) {
      add("'option' of parameters", "it is about Lull's command line", call)
    }
  }

  /// Records a call with the same method and path as another.
  mutating func addFragment(of call: APICall) {
    add(
      "a path of its own",
      "another call has its method and path: it has its name behind '#', which is not sent", call)
  }

  private mutating func add(_ what: String, _ reason: String, _ call: APICall) {
    if let place = calls.firstIndex(where: { $0.what == what && $0.reason == reason }) {
      calls[place].names.append(call.name)
    } else {
      calls.append((what, reason, [call.name]))
    }
  }

  var leftOut: [ExportedAPI.LeftOut] {
    calls.map { what, reason, names in
      let shown = names.prefix(ExportedTraits.mostNames).map { "'\($0)'" }.joined(separator: ", ")
      let rest = names.count - ExportedTraits.mostNames
      let others = rest > 0 ? " and \(rest) more" : ""
      return .init("\(what) of call\(names.count == 1 ? "" : "s") \(shown)\(others)", reason)
    }
  }
}
