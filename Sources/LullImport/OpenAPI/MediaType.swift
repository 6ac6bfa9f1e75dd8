/// Names of media types, as far as bodies are told apart by them.
enum MediaType {
  /// Without parameters, in small letters.
  static func essence(_ type: String) -> String {
    String(type.prefix { $0 != ";" }).lowercased().replacing(" ", with: "")
  }

  static func isJSON(_ type: String) -> Bool {
    let type = essence(type)
    return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
  }

  static func isText(_ type: String) -> Bool {
    let type = essence(type)
    return type.hasPrefix("text/") || type.hasSuffix("+xml") || type.hasSuffix("+yaml")
      || [
        "application/xml", "application/yaml", "application/x-yaml", "application/graphql",
        "application/x-ndjson", "application/jsonl", "application/sql", "application/jwt",
      ].contains(type)
  }
}
