/// What a type has encoded so far: a tree, since containers may be filled in any order.
enum EncodedValue {
  case null
  case bool(Bool)
  case int(Int64)
  /// An integer beyond 64 signed bits.
  case digits(String)
  /// A finite number.
  case double(Double)
  case string(String)
  case json(JSONValue)
  case array(EncodedArray)
  case object(EncodedObject)
  /// What an encoder of its own makes, which may come later.
  case encoder(TreeEncoder)
}

final class EncodedArray {
  var elements: [EncodedValue] = []
}

final class EncodedObject {
  struct Member: JSONMember {
    let key: String
    var value: EncodedValue
  }

  /// As they were encoded.
  var members: [Member] = []
}

extension EncodedValue {
  /// Expects no number that JSON does not have.
  func write(to writer: inout JSONWriter) throws(JSONError) {
    switch self {
    case .null: writer.writeNull()
    case .bool(let value): writer.write(value)
    case .int(let value): writer.write(Int(value))
    case .digits(let digits): writer.write(raw: digits.utf8)
    case .double(let value): writer.write(value)
    case .string(let value): writer.write(value)
    case .json(let value): writer.write(raw: try value.encode())
    case .array(let array):
      writer.begin("[")
      for element in array.elements { try element.write(to: &writer) }
      writer.end("]")
    case .object(let object):
      writer.begin("{")
      for member in object.members.withoutRepetition {
        writer.write(key: member.key)
        try member.value.write(to: &writer)
      }
      writer.end("}")
    // What has encoded nothing is an object without members.
    case .encoder(let encoder): try (encoder.value ?? .object(EncodedObject())).write(to: &writer)
    }
  }
}
