import Foundation
import LullCore

/// What comes of reading or writing something: a value in words, or the kind of an error with its path.
struct Outcome: Equatable, CustomStringConvertible {
  let description: String

  init(_ body: () throws -> String) {
    do {
      description = try body()
    } catch {
      description = Outcome.text(of: error)
    }
  }

  private static func text(of error: any Error) -> String {
    switch error {
    case DecodingError.typeMismatch(_, let context): "typeMismatch at \(path(context.codingPath))"
    case DecodingError.valueNotFound(_, let context): "valueNotFound at \(path(context.codingPath))"
    case DecodingError.keyNotFound(let key, let context):
      "keyNotFound \(key.stringValue) at \(path(context.codingPath))"
    case DecodingError.dataCorrupted(let context): "dataCorrupted at \(path(context.codingPath))"
    case EncodingError.invalidValue(_, let context): "invalidValue at \(path(context.codingPath))"
    case is JSONError: "dataCorrupted at "
    default: "another error: \(error)"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
  }
}

/// One document as one type, or one value as a document.
struct Case {
  let name: String
  let ours: Outcome
  let theirs: Outcome

  /// Reads a document as a type.
  init<Value: Decodable & Equatable>(_ json: String, as type: Value.Type) {
    name = "\(json) as \(type)"
    ours = Outcome {
      "\(try JSONDocument(parsing: Array(json.utf8)).root.decoded(type))"
    }
    theirs = Outcome { "\(try JSONDecoder().decode(type, from: Data(json.utf8)))" }
  }

  /// Writes a value, of which what was written is read again by one reader.
  init(writing value: some Encodable, _ name: String) {
    self.name = "writing \(name)"
    ours = Outcome { Case.sorted(try JSONDocument(encoding: value).root.plainValue) }
    theirs = Outcome {
      let text = Array(try JSONEncoder().encode(value))
      return Case.sorted(try JSONDocument(parsing: text).root.plainValue)
    }
  }

  /// Without regard to the order of members.
  private static func sorted(_ value: JSONValue) -> String {
    switch value {
    case .array(let elements): "[\(elements.map(sorted).joined(separator: ", "))]"
    case .object(let members):
      "{\(members.map { "\($0.key): \(sorted($0.value))" }.sorted().joined(separator: ", "))}"
    default: "\(value)"
    }
  }
}
