import LullCore
import LullSchemas

/// Provides responses for `lull mock` from the schemas, and checks requests against them.
extension CallSchemas {
  /// Returns the response that a call's schemas declare, if possible the response for a success.
  /// nil if there is none, or if the schemas can't be used.
  ///
  /// - Parameter links: Changes links in examples so that they point to the mock.
  package func example(of call: APICall, _ links: MovedLinks) -> MockAnswer? {
    let key = "\(call.name)\n\(links.here)"
    if case .some(let known) = examples[key] { return known }
    // The number is limited, because clients may send any port in `Host`.
    if examples.count > 1000 { examples = [:] }
    let made = makeExample(of: call, links)
    examples[key] = .some(made)
    return made
  }

  private func makeExample(of call: APICall, _ links: MovedLinks) -> MockAnswer? {
    do throws(SchemaProblem) {
      if case .document(let document)? = call.schema {
        return try answer(
          call.usualStatus, links, try SchemaExample.value(of: document.root),
          by: try SchemaValidator(document.root))
      }
      guard let file = try openedFile() else { return nil }
      if case .definition(let name)? = call.schema {
        let pointer = "#/$defs/\(JSONPointer.escaped(name))"
        return try answer(
          call.usualStatus, links, try SchemaExample.value(pointer, in: file),
          by: try validator(pointer, file))
      }
      guard let entry = try file.call(call.name) else { return nil }
      let declared = DeclaredStatus(entry)
      guard let key = declared.success else { return nil }
      return try declaredAnswer(
        Int(key) ?? call.usualStatus, schema: entry["responses"]?[key],
        said: entry["answers"]?[key],
        "#/calls/\(JSONPointer.escaped(call.name))/responses/\(JSONPointer.escaped(key))", file,
        links, hasLines: call.responseType == .ndjson)
    } catch {
      return nil
    }
  }

  /// Returns the response with a status from the schemas file. The content is chosen as follows:
  ///
  /// - If the schema describes the content: the first example that matches the schema, otherwise a
  ///   value generated from the schema, otherwise the first example.
  /// - If it does not: the first example. Without one, the body is an empty object for JSON, and
  ///   otherwise empty.
  ///
  /// - Parameter said: The entry for the status in `answers`.
  private func declaredAnswer(
    _ status: Int, schema: JSONElement?, said: JSONElement?, _ pointer: String, _ file: SchemaFile,
    _ links: MovedLinks, hasLines: Bool
  ) throws(SchemaProblem) -> MockAnswer? {
    if [204, 205, 304].contains(status) { return MockAnswer(status: status) }
    let examples = said?["examples"].map { Array($0.elements) } ?? []
    let type = said?["type"]?.string
    let isJSON = type.map { CallSchemas.isJSON($0) } ?? !examples.isEmpty
    let lines = type.flatMap { MockLines($0, isDeclared: hasLines) }
    if lines != nil, let text = examples.first?.string {
      var headers = Headers()
      headers["content-type"] = type
      return MockAnswer(status: status, headers: headers, body: Array(text.utf8))
    }
    // The schema `true` does not restrict the content, so there is nothing to generate from it.
    if let schema, schema.kind == .object || said == nil {
      let validator = try validator(pointer, file)
      for example in examples where try validator.fits(example) {
        return try answer(
          status, links, example.plainValue, by: validator, type: type, lines: lines)
      }
      let made = try SchemaExample.value(pointer, in: file) ?? examples.first?.plainValue
      return try answer(status, links, made, by: validator, type: type, lines: lines)
    }
    guard isJSON else {
      let text = examples.first?.string ?? ""
      var headers = Headers()
      if let type { headers["content-type"] = type }
      return MockAnswer(status: status, headers: headers, body: Array(text.utf8))
    }
    return try answer(
      status, links, examples.first?.plainValue ?? .object([]), by: nil, type: type)
  }

  /// - Parameter validator: The schema that the content must match. Changed links are used only if
  ///   the content still matches it.
  private func answer(
    _ status: Int, _ links: MovedLinks, _ value: JSONValue?, by validator: SchemaValidator?,
    type: String? = nil, lines: MockLines? = nil
  ) throws(SchemaProblem) -> MockAnswer? {
    guard let value, let plain = try? value.encode() else { return nil }
    var body = plain
    if let moved = links.moved(value), let bytes = try? moved.encode() {
      let document = try? JSONDocument(parsing: bytes)
      // The schema may allow only certain links, so changed links are used only if they are valid.
      if let validator, let document {
        if try validator.fits(document.root) { body = bytes }
      } else if validator == nil {
        body = bytes
      }
    }
    if let lines { body = lines.body(of: body) }
    var headers = Headers()
    headers["content-type"] = type ?? "application/json"
    return MockAnswer(status: status, headers: headers, body: body)
  }

  private static func isJSON(_ type: String) -> Bool {
    var type = type
    return type.withUTF8 { ContentTypePattern.isJSON($0) }
  }

  /// Returns the error in the value of a parameter. nil if the value is valid or has no schema.
  package func objection(to value: CallValue, for name: String, of call: String) -> String? {
    let text: [UInt8]?
    switch value {
    case .string(let string): text = try? JSONValue.string(string).encode()
    case .number(let number): text = try? JSONValue.double(number).encode()
    case .integer(let number): text = try? JSONValue.int(number).encode()
    case .boolean(let bool): text = try? JSONValue.bool(bool).encode()
    case .digits(let digits): text = Array(digits.utf8)
    case .json(let bytes): text = bytes
    default: text = nil
    }
    do throws(SchemaProblem) {
      guard let text, let document = try? JSONDocument(parsing: text),
        let file = try openedFile(), try file.call(call)?["parameters"]?[name] != nil
      else { return nil }
      let pointer =
        "#/calls/\(JSONPointer.escaped(call))/parameters/\(JSONPointer.escaped(name))"
      let found = try validator(pointer, file, isOfAnswer: false).violations(
        of: document.root, limit: 1)
      return found.first.map {
        "the parameter '\(name)' of call '\(call)' does not match its schema: \($0)"
      }
    } catch {
      // `lull check` reports unusable schemas.
      return nil
    }
  }

  /// Returns whether a request for the call must have a body although none of its parameters is
  /// required.
  package func requiresBody(_ call: String) -> Bool {
    // `lull check` reports problems with the schemas file.
    (try? openedFile()?.call(call)?["body_required"]?.bool) == true
  }

  /// Returns the error in a request body. nil if the body is valid or has no schema.
  package func objection(toBody bytes: [UInt8], of call: String) -> String? {
    do throws(SchemaProblem) {
      guard let file = try openedFile(), try file.call(call)?["body"] != nil else { return nil }
      let document: JSONDocument
      do throws(JSONError) {
        document = try JSONDocument(parsing: bytes)
      } catch {
        return "the body of call '\(call)' is not JSON: \(error)"
      }
      let pointer = "#/calls/\(JSONPointer.escaped(call))/body"
      let found = try validator(pointer, file, isOfAnswer: false).violations(
        of: document.root, limit: 1)
      return found.first.map { "the body of call '\(call)' does not match its schema: \($0)" }
    } catch {
      // `lull check` reports unusable schemas.
      return nil
    }
  }
}

/// How a list is written in a body with several JSON values.
private struct MockLines {
  /// Whether each value begins with RS. (RFC 7464)
  private let isSequence: Bool

  /// nil if a body of this content type is not written in lines.
  ///
  /// - Parameter isDeclared: Whether the call reads its responses as lines.
  init?(_ type: String, isDeclared: Bool) {
    var type = type
    guard type.withUTF8({ ContentTypePattern.isJSONLines($0) }) || isDeclared else { return nil }
    isSequence = type.prefix { $0 != ";" }.lowercased().hasSuffix("json-seq")
  }

  /// Returns the body for a list. Any other value is unchanged.
  func body(of json: [UInt8]) -> [UInt8] {
    guard let list = try? JSONDocument(parsing: json), list.root.kind == .array else { return json }
    var body: [UInt8] = []
    for element in list.root.elements {
      if isSequence { body.append(0x1E) }
      element.encode(into: &body)
      body.append(10)
    }
    return body
  }
}

/// Chooses among the statuses that the schemas file has for a call.
private struct DeclaredStatus {
  /// The key of the success status. nil if the call has no status.
  let success: String?

  init(_ entry: JSONElement) {
    let schemas = entry["responses"]?.pairs ?? []
    let answers = entry["answers"]?.pairs.map(\.key) ?? []
    let statuses = schemas.map(\.key) + answers
    // Statuses that have a schema with content are preferred.
    let full = schemas.filter { $0.value.kind == .object }.map(\.key)
    func least(_ keys: [String], _ range: Range<Int>) -> String? {
      keys.compactMap { Int($0) }.filter { range.contains($0) }.min().map { "\($0)" }
    }
    success =
      least(full, 200..<300) ?? least(statuses, 200..<300)
      ?? ["2XX", "2xx", "default"].first(where: statuses.contains)
      ?? least(statuses, 300..<400) ?? least(answers, 400..<600)
  }
}
