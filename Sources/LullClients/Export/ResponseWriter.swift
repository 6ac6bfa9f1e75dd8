import LullCore
import LullHost

/// Writes the responses of a call with their schemas, and the examples of its mock.
struct ResponseWriter {
  private struct Answer {
    var status: String
    var schema: JSONElement?
    var definition: String?
    var examples: [(answer: MockAnswer, summary: String?)] = []
  }

  let exported: ExportedAPI.Call
  /// The schemas in the schemas file, keyed by status.
  let known: JSONElement?
  /// The content types and examples in the schemas file, keyed by status.
  let said: JSONElement?

  private var call: APICall { exported.call }

  func write(_ schemas: inout ExportedSchemas, _ writer: inout JSONWriter) {
    let answers = self.answers
    let success =
      answers.first { $0.status == "200" } ?? answers.first { $0.status.hasPrefix("2") }
    writer.writeObject(key: "responses") { writer in
      for answer in answers {
        let isSuccess = answer.status == success?.status
        writer.writeObject(key: answer.status) { writer in
          writer.write(key: "description", ResponseWriter.words(answer.status))
          if isSuccess, hasLink(success, schemas) { writeLink(&writer) }
          writeContent(answer, isSuccess: isSuccess, &schemas, &writer)
        }
      }
    }
  }

  private var answers: [Answer] {
    var answers = (known?.pairs ?? []).map { Answer(status: $0.key, schema: $0.value) }
    if let own = call.schema {
      // A schema declared by the call itself applies to all successful responses.
      answers.removeAll { $0.status.hasPrefix("2") }
      var answer = Answer(status: "2XX")
      switch own {
      case .document(let document): answer.schema = document.root
      case .definition(let name): answer.definition = name
      }
      answers.insert(answer, at: 0)
    }
    for (status, entry) in said?.pairs ?? [] {
      let examples = ResponseWriter.examples(of: entry, status)
      if let place = answers.firstIndex(where: { $0.status == status }) {
        answers[place].examples += examples
      } else if !answers.contains(where: { $0.status == "2XX" && status.hasPrefix("2") }) {
        answers.append(Answer(status: status, examples: examples))
      }
    }
    var examples = call.mock.examples.map { example in
      let conditions = example.conditions.map { "\($0.name) = \($0.value.text)" }
      return (
        answer: example.answer,
        summary: conditions.isEmpty ? nil : "for " + conditions.joined(separator: ", ")
      )
    }
    if let example = call.mock.example { examples.append((example, nil)) }
    for example in examples {
      let status = "\(example.answer.status)"
      let fitting = [status, "\(status.prefix(1))XX", "\(status.prefix(1))xx", "default"]
      let place = fitting.lazy.compactMap { status in
        answers.firstIndex { $0.status == status }
      }.first
      if let place {
        answers[place].examples.append(example)
      } else {
        answers.append(Answer(status: status, examples: [example]))
      }
    }
    return answers.isEmpty ? [Answer(status: "\(call.usualStatus)")] : answers
  }

  /// Returns the examples in the schemas file.
  private static func examples(
    of entry: JSONElement, _ status: String
  ) -> [(answer: MockAnswer, summary: String?)] {
    let type = entry["type"]?.string
    return (entry["examples"].map { Array($0.elements) } ?? []).compactMap { element in
      var body: [UInt8] = []
      if element.string == nil || type.map({ $0.prefix { $0 != ";" }.hasSuffix("json") }) ?? true {
        element.encode(into: &body)
      } else {
        body = Array((element.string ?? "").utf8)
      }
      var headers = Headers()
      headers["content-type"] = type ?? "application/json"
      return (MockAnswer(status: Int(status) ?? 200, headers: headers, body: body), nil)
    }
  }

  private static func words(_ status: String) -> String {
    if let code = Int(status) { return StatusPhrase.text(for: code) }
    switch status.first {
    case "2": return "Success"
    case "4": return "The request was refused"
    case "5": return "The server has failed"
    default: return "Anything else"
    }
  }

  // MARK: Pages

  /// Returns whether the link to the next page is in a header. A link in a field would be part of
  /// the schema.
  private func hasLink(_ success: Answer?, _ schemas: ExportedSchemas) -> Bool {
    switch call.pages?.next {
    case .link?: return true
    case .automatic?:
      let schema =
        success?.definition.flatMap { schemas.definition($0) } ?? success?.schema
      guard let properties = schema.map({ schemas.target(of: $0) })?["properties"] else {
        return true
      }
      let usual = ["next", "links", "_links", "@odata.nextLink", "nextLink", "paging"]
      return !usual.contains { properties[$0] != nil }
    default: return false
    }
  }

  private func writeLink(_ writer: inout JSONWriter) {
    writer.writeObject(key: "headers") { writer in
      writer.writeObject(key: "Link") { writer in
        writer.write(key: "description", "The next page")
        writer.writeObject(key: "schema") { $0.write(key: "type", "string") }
      }
    }
  }

  // MARK: Content

  private func writeContent(
    _ answer: Answer, isSuccess: Bool, _ schemas: inout ExportedSchemas,
    _ writer: inout JSONWriter
  ) {
    var types: [(type: String, examples: [(answer: MockAnswer, summary: String?)])] = []
    let isStream = isSuccess && exported.hasEvents
    let hasSchema = (answer.schema != nil || answer.definition != nil) && !isStream
    if hasSchema || isSuccess && exported.namesAnswerType {
      types.append((exported.answerType, []))
    }
    for example in answer.examples where ResponseWriter.isShown(example.answer) {
      let type = example.answer.headers["content-type"] ?? "application/octet-stream"
      let isJSON = type.prefix { $0 != ";" }.hasSuffix("json")
      let key = !types.isEmpty && isJSON ? exported.answerType : type
      if let place = types.firstIndex(where: { $0.type == key }) {
        types[place].examples.append(example)
      } else {
        types.append((key, [example]))
      }
    }
    guard !types.isEmpty else { return }
    writer.writeObject(key: "content") { writer in
      for (place, (type, examples)) in types.enumerated() {
        writer.writeObject(key: type) { writer in
          if place == 0, hasSchema, isSuccess, exported.hasRows, let rows = rows(answer, schemas) {
            writer.write(key: "itemSchema")
            schemas.write(rows, &writer)
          } else if place == 0, hasSchema {
            writer.write(key: "schema")
            if let name = answer.definition {
              schemas.writeReference(to: name, &writer)
            } else if let schema = answer.schema {
              schemas.write(schema, &writer)
            }
          }
          ResponseWriter.write(examples, &writer)
        }
      }
    }
  }

  /// The schema of the elements, if the content is a list.
  private func rows(_ answer: Answer, _ schemas: ExportedSchemas) -> JSONElement? {
    let schema = answer.schema ?? answer.definition.flatMap { schemas.definition($0) }
    guard let list = schema.map({ schemas.target(of: $0) }), list["type"]?.string == "array" else {
      return nil
    }
    return list["items"]
  }

  private static func write(
    _ examples: [(answer: MockAnswer, summary: String?)], _ writer: inout JSONWriter
  ) {
    guard let first = examples.first else { return }
    if examples.count == 1, first.summary == nil {
      writer.write(key: "example")
      return write(first.answer, &writer)
    }
    writer.writeObject(key: "examples") { writer in
      for (place, (answer, summary)) in examples.enumerated() {
        writer.writeObject(key: "\(place + 1)") { writer in
          if let summary { writer.write(key: "summary", summary) }
          writer.write(key: "value")
          write(answer, &writer)
        }
      }
    }
  }

  /// Returns whether a response has content that an OpenAPI document can express.
  static func isShown(_ answer: MockAnswer) -> Bool {
    !answer.body.isEmpty && answer.body.withUnsafeBufferPointer { UTF8Validation.isValid($0) }
  }

  private static func write(_ answer: MockAnswer, _ writer: inout JSONWriter) {
    if let document = try? JSONDocument(parsing: answer.body) {
      writer.write(document.root)
    } else {
      writer.write(String(decoding: answer.body, as: UTF8.self))
    }
  }
}
