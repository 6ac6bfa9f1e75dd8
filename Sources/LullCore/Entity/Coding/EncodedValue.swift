/// What a type has encoded so far: a tree, since containers may be filled in any order.
enum EncodedValue {
  case null
  case bool(Bool)
  case int(Int64)
  /// A number by its digits: an integer beyond 64 signed bits, or a decimal.
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
  /// A dictionary's, which encodes them in another order in each process.
  private let isDictionary: Bool

  init(keyedBy key: Any.Type? = nil) {
    isDictionary = key != nil && key == EncodedObject.dictionaryKey
  }

  /// What Swift's dictionaries with names or integers for keys encode themselves by. nil if a later Swift
  /// calls it something else, which COD-63's test shows.
  private static let dictionaryKey: (any Any.Type)? = _typeByName("s20_DictionaryCodingKeyV")

  /// Each key once; those of a dictionary sorted, integers by value before names by their bytes. (COD-63)
  var written: [Member] {
    let unique = members.withoutRepetition
    guard isDictionary else { return unique }
    return unique.map { (Int($0.key), $0) }.sorted { one, other in
      switch (one.0, other.0) {
      case (let number?, let next?) where number != next: number < next
      case (_?, nil): true
      case (nil, _?): false
      default: one.1.key.utf8.lexicographicallyPrecedes(other.1.key.utf8)
      }
    }.map(\.1)
  }
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
      for member in object.written {
        writer.write(key: member.key)
        try member.value.write(to: &writer)
      }
      writer.end("}")
    // What has encoded nothing is an object without members.
    case .encoder(let encoder): try (encoder.value ?? .object(EncodedObject())).write(to: &writer)
    }
  }
}
