import Synchronization

extension Content {
  /// The content as a type of the program's.
  ///
  /// What a transformer has made is given as it is, if it is of that type; so are text to whom a `String`
  /// wants, and bytes as `[UInt8]`. JSON is decoded, a `JSONValue` and a `JSONElement` too. Nothing else
  /// is: text that might be JSON is not tried.
  ///
  /// - Throws: `DecodingError`, or what an `init(from:)` throws.
  func decoded<Value: Decodable & Sendable>(_ type: Value.Type) throws -> Value {
    switch self {
    case .json(let document): return try document.decodedOnce(type)
    case .text(let text):
      if let value = text as? Value { return value }
      throw mismatch(type, "text, not JSON")
    case .bytes(let bytes):
      if let value = bytes as? Value { return value }
      throw mismatch(
        type, bytes.isEmpty ? "nothing: the body is empty" : "bytes that nothing parsed")
    case .foreign(let foreign): throw mismatch(type, "a script's \(foreign.typeName)")
    case .value(let value):
      if let value = value as? Value { return value }
      if let element = value as? JSONElement { return try element.decoded(type) }
      guard let value = value as? JSONValue else { throw mismatch(type, "a \(typeName)") }
      return try Content.document(of: value).root.decoded(type)
    }
  }

  private static func document(of value: JSONValue) throws -> JSONDocument {
    do throws(JSONError) {
      return try JSONDocument(parsing: try value.encode())
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: error.description))
    }
  }

  private func mismatch(_ type: any Any.Type, _ found: String) -> DecodingError {
    .typeMismatch(type, .init(codingPath: [], debugDescription: "the content is \(found)"))
  }
}

extension JSONDocument {
  /// The outermost value as that type, decoded once for everybody who asks.
  fileprivate func decodedOnce<Value: Decodable & Sendable>(_ type: Value.Type) throws -> Value {
    let key = ObjectIdentifier(type)
    if let known = decodedValues.withLock({ $0[key] }) as? Value { return known }
    let value = try root.decoded(type)
    decodedValues.withLock { $0[key] = value }
    return value
  }
}
