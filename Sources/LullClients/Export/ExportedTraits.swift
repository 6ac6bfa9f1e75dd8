import LullCore
import LullHost

/// Collects features of calls that an OpenAPI document can't express. Each feature is reported once
/// for all calls.
struct ExportedTraits {
  private var calls: [(what: String, reason: String, names: [String])] = []
  private static let mostNames = 5

  mutating func add(_ call: APICall) {
    if call.mock.function != nil {
      add("the responses of 'mock'", "a function makes them", call)
    }
    if call.parameters.contains(where: \.hasWrittenCredential) {
      add("a default of a parameter", "it may be a credential written in the file", call)
    }
    let examples = call.mock.examples.map(\.answer) + (call.mock.example.map { [$0] } ?? [])
    if examples.contains(where: { !$0.body.isEmpty && !ResponseWriter.isShown($0) }) {
      add("an example", "it is not text", call)
    }
    switch call.pages?.next {
    case .asked?: add("'pages'", "a function finds the next page", call)
    case .field?, .cursor?, .numbered?, .offset?:
      add("'pages'", "OpenAPI cannot describe paging", call)
    case .automatic?, .link?, nil: break
    }
    if call.responseType != nil {
      add("'response_type'", "the document has the server's Content-Type", call)
    }
    let isShown = !call.columns.isEmpty || call.rows != nil
    if isShown { add("'columns' and 'rows'", "they only affect Lull's output", call) }
    if call.parameters.contains(where: { $0.optionName != nil }) {
      add("'option' of parameters", "it only affects Lull's command line", call)
    }
  }

  /// Records that a call has the same method and path as another call.
  mutating func addFragment(of call: APICall) {
    add(
      "the path",
      "another call has the same method and path, so '#' and the call's name are added (not sent)",
      call)
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
