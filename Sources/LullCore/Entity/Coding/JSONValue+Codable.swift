/// For what has no type of its own: a member `let extra: JSONValue` takes whatever stands there.
///
/// Numbers that are no integers of 64 bits are doubles. (JSN-12)
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
