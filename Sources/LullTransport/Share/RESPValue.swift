import LullSystem

/// What a server of the Redis kind answers. (RESP 2)
package enum RESPValue: Sendable, Equatable {
  case bytes([UInt8])
  case status(String)
  /// What the server has refused, in its words; the first of them says of what kind it is.
  case failure(String)
  case integer(Int64)
  case null
  indirect case array([RESPValue])

  package var integer: Int64? {
    if case .integer(let value) = self { return value }
    return nil
  }

  package var array: [RESPValue]? {
    if case .array(let values) = self { return values }
    return nil
  }

  package var bytes: [UInt8]? {
    if case .bytes(let bytes) = self { return bytes }
    return nil
  }

  /// Of bytes too; nil for what is no text in UTF-8.
  package var text: String? {
    switch self {
    case .status(let text): text
    case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
    case .failure, .integer, .null, .array: nil
    }
  }
}
