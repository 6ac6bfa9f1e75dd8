import Synchronization

/// Makes `JSONValue` decodable, for JSON for which the program has no Swift type. For example, a
/// member `let extra: JSONValue` accepts any value.
///
/// Numbers that aren't 64-bit integers are doubles. (JSN-12)
extension JSONValue: Decodable {
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? TapeDecoder {
      self = decoder.reader.element(at: decoder.place).plainValue
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      let members = try container.decode([String: JSONValue].self)
      self = .object(members.map { Member($0.key, $0.value) })
    }
  }
}

extension JSONValue: Encodable {
  public func encode(to encoder: any Encoder) throws {
    if case .object(let members) = self {
      var container = encoder.container(keyedBy: PlaceKey.self)
      for member in members.withoutRepetition {
        try container.encode(member.value, forKey: PlaceKey(member.key))
      }
      return
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let elements): try container.encode(elements)
    case .null, .object: try container.encodeNil()
    }
  }
}

extension JSONElement {
  /// Decodes the value as a type of the program, directly from the document, without intermediate
  /// values.
  ///
  /// Any `Decodable` type works. Its `CodingKeys` are compared byte by byte; if a key is repeated,
  /// the last value is used. (JSN-13) Whole numbers are checked against the range of their type,
  /// and `2.0` or `1e3` count as whole. There are no strategies for keys and dates: a type defines
  /// its format in `init(from:)`, and `Timestamp` reads dates and times. Foundation's `URL` is read
  /// from a string, `Data` from a Base64 string, and `Decimal` from a number. Callable on any
  /// thread.
  ///
  ///     let users = try JSONDocument(parsing: body).root.decoded([User].self)
  ///
  /// - Parameter userInfo: The `userInfo` of the decoder.
  /// - Throws: `DecodingError` with the coding path, or the error of an `init(from:)`.
  public func decoded<Value: Decodable>(
    _ type: Value.Type = Value.self, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> Value {
    try TapeReader(self, userInfo: userInfo).value(type, at: index, depth: 0)
  }
}

extension Content {
  /// Converts the content to a type of the program.
  ///
  /// Content that already has the type is returned unchanged: the result of a transformer, text as
  /// a `String`, bytes as `[UInt8]`. JSON content is decoded, and so is content that is a
  /// `JSONValue` or `JSONElement`. Other content can't be converted: text, for example, is not
  /// parsed as JSON.
  ///
  /// - Throws: `DecodingError`, or the error of an `init(from:)`.
  func decoded<Value: Decodable & Sendable>(_ type: Value.Type) throws -> Value {
    switch self {
    case .json(let document): return try document.decodedOnce(type)
    case .text(let text):
      if let value = text as? Value { return value }
      throw mismatch(type, "text, not JSON")
    case .bytes(let bytes):
      if let value = bytes as? Value { return value }
      throw mismatch(
        type, bytes.isEmpty ? "nothing: the body is empty" : "bytes that were not parsed")
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
  /// Returns the root value, decoded as `type`. It is decoded once, and the result is shared by all
  /// callers.
  fileprivate func decodedOnce<Value: Decodable & Sendable>(_ type: Value.Type) throws -> Value {
    let key = ObjectIdentifier(type)
    if let known = decodedValues.withLock({ $0[key] }) as? Value { return known }
    let value = try root.decoded(type)
    decodedValues.withLock { $0[key] = value }
    return value
  }
}
