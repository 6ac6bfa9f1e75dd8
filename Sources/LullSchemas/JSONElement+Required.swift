import LullCore

extension JSONElement {
  /// Of a schema the names that an answer must have: what is only written is in none.
  /// (OpenAPI 3.0.4, "Schema Object": `writeOnly`)
  var requiredInAnswers: [String] {
    let names = self["required"]?.elements.compactMap(\.string) ?? []
    guard !names.isEmpty, let properties = self["properties"] else { return names }
    return names.filter { properties[$0]?["writeOnly"]?.bool != true }
  }
}
