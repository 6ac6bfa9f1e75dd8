import LullCore

/// The responses of an operation apart from their schemas: the examples, and the status codes
/// without a schema.
struct DeclaredAnswers {
  private struct Answer {
    let status: String
    var type: String?
    var schema: ImportNode?
    var examples: [ImportNode] = []
  }

  private let document: OpenAPIDocument
  private var answers: [Answer] = []

  init(_ operation: ImportNode, in document: OpenAPIDocument) {
    self.document = document
    for (status, written) in operation["responses"]?.pairs ?? [] where !status.hasPrefix("x-") {
      guard let node = document.target(of: written) else { continue }
      answers.append(answer(status, node))
    }
  }

  private func answer(_ status: String, _ node: ImportNode) -> Answer {
    var answer = Answer(status: status)
    let contents = document.contents(of: node)
    let json = SchemaFileWriter.content(among: contents)
    guard let content = json ?? contents.first else { return answer }
    let examples = self.examples(of: content.value, asText: json == nil)
    let essence = MediaType.essence(content.key)
    if json != nil {
      answer.schema = content.value["schema"]
      answer.examples = examples
      answer.type = essence.contains("*") ? "application/json" : content.key
      return answer
    }
    if !essence.contains("*") {
      answer.type = content.key
    } else if essence.hasPrefix("text/") {
      answer.type = "text/plain"
    }
    // For a type other than JSON, only an example that is a string can be used as a body, or the
    // list of rows.
    let hasRows = document.version >= .v32 && MediaType.isSequence(content.key)
    answer.examples = examples.filter {
      $0.element.string != nil || hasRows && $0.element.kind == .array
    }
    return answer
  }

  /// - Parameter isText: Whether the examples are for a type other than JSON, so that a serialized
  ///   example is preferred to a value.
  private func examples(of content: ImportNode, asText isText: Bool) -> [ImportNode] {
    if let example = content["example"] { return [example] }
    return (content["examples"]?.pairs ?? []).compactMap { _, written in
      guard let example = document.target(of: written) else { return nil }
      let value = example["value"] ?? example["dataValue"]
      guard let serialized = example["serializedValue"] else { return value }
      return isText ? serialized : value ?? parsed(serialized)
    }
  }

  /// Returns the value of an example that is written as JSON text.
  private func parsed(_ serialized: ImportNode) -> ImportNode? {
    guard let text = serialized.element.string,
      let value = try? JSONDocument(parsing: Array(text.utf8))
    else { return nil }
    return ImportNode(value.root, serialized.document)
  }

  /// The examples for each status, and the content type unless it is `application/json`.
  ///
  /// If no successful response has a schema, responses without examples are included too, so that
  /// their status is known.
  var entries: [(key: String, json: [UInt8])] {
    let bare = answers.filter { $0.schema == nil }
    let hasSchema = answers.contains { $0.status.hasPrefix("2") && $0.schema != nil }
    var statuses: Set<String> = []
    if !hasSchema {
      let fine = bare.filter { ["2", "3", "d"].contains($0.status.prefix(1).lowercased()) }
      let isAnswered = answers.contains { $0.status == "default" && $0.schema != nil }
      statuses = Set((fine.isEmpty && !isAnswered ? bare : fine).map(\.status))
    }
    return answers.filter { !$0.examples.isEmpty || statuses.contains($0.status) }.map { answer in
      var writer = JSONWriter()
      writer.writeObject { writer in
        // The type of a response with a schema is JSON by default.
        if let type = answer.type, answer.schema == nil || type != "application/json" {
          writer.write(key: "type", type)
        }
        guard !answer.examples.isEmpty else { return }
        writer.writeList(key: "examples") { writer in
          for example in answer.examples { writer.write(example.element) }
        }
      }
      return (answer.status, writer.output)
    }
  }
}
