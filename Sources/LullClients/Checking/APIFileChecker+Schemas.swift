import LullCore
import LullHost

extension APIFileChecker {
  /// Schemas that cannot be used, and calls whose answers are to be validated and have none.
  func look(atSchemasOf api: APIFile, _ calls: [APICall]) {
    var places: DeclarationPlaces?
    func place(of keys: [String]) -> SourcePlace {
      if places == nil, case .success(let bytes) = TextFile.read(Array(path.utf8)) {
        places = DeclarationPlaces(bytes)
      }
      return SourcePlace(file: path, line: places?.line(of: keys) ?? 0)
    }
    let schemas = api.service.schemas as? CallSchemas
    for (call, text) in schemas?.problems(of: calls) ?? [] {
      let keys = call.map { ["calls", $0] } ?? ["schemas"]
      note(
        call.map { "call '\($0)': \(text)" } ?? text,
        at: place(of: keys))
    }
    for call in calls {
      guard let resource = call.sample(of: api.service),
        resource.configuration(for: call.method).validation != nil,
        !(schemas?.hasSchema(of: call) ?? false)
      else { continue }
      note(
        "call '\(call.name)': 'validate' is set, and there is no schema of its answers: nothing is "
          + "validated",
        at: place(of: ["calls", call.name]), isFinding: false)
    }
  }
}
