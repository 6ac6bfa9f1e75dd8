import LullCore

/// Reads responses that are streams of events or lists of rows. (OpenAPI 3.2, "Sequential Media
/// Types")
struct StreamReader {
  let document: OpenAPIDocument

  /// Returns the schema of a response whose content is a list of rows. `nil` if the document has
  /// none.
  func rows(of response: ImportNode?) -> (schema: ImportNode, isOfItems: Bool)? {
    guard document.version >= .v32 else { return nil }
    for (type, content) in document.contents(of: response) where isRows(type) {
      if let schema = content["itemSchema"] { return (schema, true) }
      if MediaType.isSequence(type), let schema = content["schema"] { return (schema, false) }
    }
    return nil
  }

  /// Whether a type is a sequence of JSON values, or a type of which Lull knows nothing else.
  private func isRows(_ type: String) -> Bool {
    let essence = MediaType.essence(type)
    guard !MediaType.isSequence(essence) else { return true }
    return essence.hasPrefix("application/") && !essence.contains("*")
      && !MediaType.isJSON(essence) && !MediaType.isText(essence)
  }

  /// Sets how a call reads its responses, and collects the types whose item schemas are left out.
  func read(_ operation: ImportNode, into call: inout ImportedCall) {
    guard document.version >= .v32 else { return }
    let successes = (operation["responses"]?.pairs ?? []).filter { $0.key.hasPrefix("2") }
    let contents = successes.flatMap { document.contents(of: document.target(of: $0.value)) }
    for (type, content) in contents where content["itemSchema"] != nil && !isRows(type) {
      let essence = MediaType.essence(type)
      if !call.leftItems.contains(essence) { call.leftItems.append(essence) }
    }
    // Rows of a type that Lull does not know are read as lines of JSON.
    if contents.count == 1, let (type, content) = contents.first, content["itemSchema"] != nil,
      isRows(type), !MediaType.isSequence(type)
    {
      call.responseType = "ndjson"
    }
    let bodies = document.contents(of: document.target(of: operation["requestBody"]))
    call.leavesPositions = bodies.contains { _, content in
      content["prefixEncoding"] != nil || content["itemEncoding"] != nil
    }
  }

  /// Notes on the parts of the calls' types that were not imported.
  static func notes(on calls: [ImportedCall]) -> [String] {
    func names(_ isIt: (ImportedCall) -> Bool) -> String? {
      let names = calls.filter(isIt).map { ShortText.comment($0.name) }
      let others = names.count - 5
      guard !names.isEmpty else { return nil }
      return names.prefix(5).joined(separator: ", ")
        + (others > 0 ? " and \(others) \(others == 1 ? "other" : "others")" : "")
    }
    var notes: [String] = []
    if let names = names({ $0.leftItems.contains(where: MediaType.isEvents) }) {
      notes.append(
        "the schemas of events are left out, because streams are not validated; read the events "
          + "with --stream or events(): \(names)")
    }
    if let names = names({ !$0.leftItems.allSatisfy(MediaType.isEvents) }) {
      notes.append(
        "'itemSchema' is left out for types that are neither events nor lines of JSON: \(names)")
    }
    if let names = names(\.leavesPositions) {
      notes.append(
        "the encoding of parts by their position is left out ('prefixEncoding', 'itemEncoding'): "
          + names)
    }
    if let names = names({ $0.wholeQuery != nil }) {
      notes.append("the whole query of these calls is one required text: \(names)")
    }
    return notes
  }
}
