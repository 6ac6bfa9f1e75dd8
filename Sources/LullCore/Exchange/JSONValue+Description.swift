extension JSONValue: CustomStringConvertible {
  /// The value as compact JSON, in which members that are called like credentials have `***` for their value;
  /// NaN and infinite numbers are strings. (SWF-160)
  ///
  /// For logs and debuggers: what is sent or stored is written by `encode(pretty:)`, which masks nothing.
  public var description: String {
    let bytes = (try? encode()) ?? (try? writable.encode()) ?? []
    return CredentialMask.text(String(decoding: CredentialMask.body(bytes), as: UTF8.self))
  }

  /// With texts in the place of numbers that JSON does not have.
  private var writable: JSONValue {
    switch self {
    case .double(let value) where !value.isFinite: .string("\(value)")
    case .array(let elements): .array(elements.map(\.writable))
    case .object(let members): .object(members.map { Member($0.key, $0.value.writable) })
    default: self
    }
  }
}

extension JSONElement: CustomStringConvertible {
  /// As that of the same `JSONValue`. (SWF-160)
  public var description: String {
    var bytes: [UInt8] = []
    encode(into: &bytes)
    return CredentialMask.text(String(decoding: CredentialMask.body(bytes), as: UTF8.self))
  }
}

extension JSONDocument: CustomStringConvertible {
  /// As that of its outermost value. (SWF-160)
  public var description: String { root.description }
}
