/// The encoder of one value. It stores the encoded value.
///
/// If a type misuses the encoder, for example by encoding two values in one container, an error is
/// recorded and thrown at the end, because some functions of the protocol can't throw.
final class TreeEncoder: Encoder {
  let session: EncodingSession
  let step: EncodingStep?
  fileprivate(set) var value: EncodedValue?

  init(_ session: EncodingSession, at step: EncodingStep?) {
    self.session = session
    self.step = step
  }

  var codingPath: [any CodingKey] { EncodingStep.path(to: step) }
  var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    // A class and its superclasses fill the same object.
    if case .object(let object) = value {
      return KeyedEncodingContainer(TreeObject<Key>(self, object, at: step))
    }
    let object = EncodedObject(keyedBy: type)
    set(.object(object))
    return KeyedEncodingContainer(TreeObject<Key>(self, object, at: step))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array(let array) = value { return TreeArray(self, array, at: step) }
    let array = EncodedArray()
    set(.array(array))
    return TreeArray(self, array, at: step)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { TreeSingleValue(encoder: self) }

  fileprivate func set(_ new: EncodedValue) {
    guard value == nil else {
      return session.note(
        EncodingError.invalidValue(
          new,
          .init(
            codingPath: codingPath, debugDescription: "two values are encoded at the same path"))
      )
    }
    value = new
  }

  /// Encodes a value whose coding path ends with `step`.
  func encoded<Value: Encodable>(
    _ value: Value, at step: @autoclosure () -> EncodingStep?
  ) throws -> EncodedValue {
    switch value {
    case let value as String: return .string(value)
    case let value as Bool: return .bool(value)
    case let value as Double: return try number(value, value, step())
    // Uses the decimal form of the number. Otherwise 0.1 would become 0.10000000149011612.
    case let value as Float: return try number(Double(value.description) ?? .nan, value, step())
    case let value as any FixedWidthInteger & Encodable:
      return Int64(exactly: value).map { .int($0) } ?? .digits("\(value)")
    case let value as JSONValue:
      return .json(value)
    default:
      let step = step()
      guard session.levels < EncodingSession.mostLevels else {
        throw invalid(
          value, step, "the value is nested more than \(EncodingSession.mostLevels) levels deep")
      }
      guard session.levels < ThreadStack.fewLevels || session.stack.hasRoom else {
        throw invalid(value, step, "the value is nested too deeply for the stack of this thread")
      }
      session.levels += 1
      defer { session.levels -= 1 }
      let own = { [session] in
        let encoder = TreeEncoder(session, at: step)
        try value.encode(to: encoder)
        return encoder.value ?? .object(EncodedObject())
      }
      guard let kind = FoundationType(Value.self) else { return try own() }
      guard let encoded = try kind.encoded(value, own: own) else {
        throw invalid(value, step, "JSON cannot represent \(value)")
      }
      return encoded
    }
  }

  private func number(
    _ number: Double, _ value: any Sendable, _ step: EncodingStep?
  ) throws -> EncodedValue {
    guard number.isFinite else {
      throw invalid(value, step, "JSON cannot represent the number \(value)")
    }
    return .double(number)
  }

  private func invalid(_ value: Any, _ step: EncodingStep?, _ message: String) -> EncodingError {
    .invalidValue(value, .init(codingPath: EncodingStep.path(to: step), debugDescription: message))
  }
}

/// The state shared by all encoders of one call.
final class EncodingSession {
  let userInfo: [CodingUserInfoKey: any Sendable]
  /// The number of nested types that are being encoded.
  var levels = 0
  /// The largest number of nested types. Deeper values could not be decoded again (JSN-14). Without
  /// this limit, encoding objects that refer to each other would never end.
  static let mostLevels = 1_000
  /// The stack of the encoding thread.
  private(set) lazy var stack = ThreadStack()
  /// The error of the first misuse of an encoder.
  private(set) var problem: (any Error)?

  init(userInfo: [CodingUserInfoKey: any Sendable]) { self.userInfo = userInfo }

  func note(_ problem: any Error) {
    if self.problem == nil { self.problem = problem }
  }
}

/// A component of the coding path of a value, with a reference to the next outer component.
final class EncodingStep {
  let key: any CodingKey
  let outer: EncodingStep?

  init(_ key: any CodingKey, in outer: EncodingStep?) {
    self.key = key
    self.outer = outer
  }

  static func path(to step: EncodingStep?) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var step = step
    while let here = step {
      path.append(here.key)
      step = here.outer
    }
    return path.reversed()
  }
}

struct TreeSingleValue: SingleValueEncodingContainer {
  let encoder: TreeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.set(.null) }

  func encode<Value: Encodable>(_ value: Value) throws {
    encoder.set(try encoder.encoded(value, at: encoder.step))
  }

  func encode(_ value: Int128) throws { encoder.set(try encoder.encoded(value, at: encoder.step)) }
  func encode(_ value: UInt128) throws { encoder.set(try encoder.encoded(value, at: encoder.step)) }
}

/// A keyed encoding container. Members are stored in the order in which they are encoded. If a key
/// is repeated, the last value is used.
struct TreeObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let encoder: TreeEncoder
  private let object: EncodedObject
  private let step: EncodingStep?

  init(_ encoder: TreeEncoder, _ object: EncodedObject, at step: EncodingStep?) {
    self.encoder = encoder
    self.object = object
    self.step = step
  }

  var codingPath: [any CodingKey] { EncodingStep.path(to: step) }

  private func set(_ value: EncodedValue, _ key: any CodingKey) {
    object.members.append(EncodedObject.Member(key: key.stringValue, value: value))
  }

  func encodeNil(forKey key: Key) { set(.null, key) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    set(try encoder.encoded(value, at: EncodingStep(key, in: step)), key)
  }

  func encode(_ value: Int128, forKey key: Key) throws {
    set(try encoder.encoded(value, at: EncodingStep(key, in: step)), key)
  }

  func encode(_ value: UInt128, forKey key: Key) throws {
    set(try encoder.encoded(value, at: EncodingStep(key, in: step)), key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    let nested = EncodedObject(keyedBy: type)
    set(.object(nested), key)
    return KeyedEncodingContainer(
      TreeObject<Nested>(encoder, nested, at: EncodingStep(key, in: step)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let nested = EncodedArray()
    set(.array(nested), key)
    return TreeArray(encoder, nested, at: EncodingStep(key, in: step))
  }

  func superEncoder() -> any Encoder { superEncoder(PlaceKey("super")) }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key) }

  private func superEncoder(_ key: any CodingKey) -> any Encoder {
    let inner = TreeEncoder(encoder.session, at: EncodingStep(key, in: step))
    set(.encoder(inner), key)
    return inner
  }
}

/// An unkeyed encoding container, which fills an array.
struct TreeArray: UnkeyedEncodingContainer {
  private let encoder: TreeEncoder
  private let array: EncodedArray
  private let step: EncodingStep?

  init(_ encoder: TreeEncoder, _ array: EncodedArray, at step: EncodingStep?) {
    self.encoder = encoder
    self.array = array
    self.step = step
  }

  var codingPath: [any CodingKey] { EncodingStep.path(to: step) }
  var count: Int { array.elements.count }

  private var next: EncodingStep { EncodingStep(PlaceKey(count), in: step) }

  func encodeNil() { array.elements.append(.null) }

  func encode<Value: Encodable>(_ value: Value) throws {
    array.elements.append(try encoder.encoded(value, at: next))
  }

  func encode(_ value: Int128) throws {
    array.elements.append(try encoder.encoded(value, at: next))
  }
  func encode(_ value: UInt128) throws {
    array.elements.append(try encoder.encoded(value, at: next))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    let nested = EncodedObject(keyedBy: type)
    let step = next
    array.elements.append(.object(nested))
    return KeyedEncodingContainer(TreeObject<Nested>(encoder, nested, at: step))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let nested = EncodedArray()
    let step = next
    array.elements.append(.array(nested))
    return TreeArray(encoder, nested, at: step)
  }

  func superEncoder() -> any Encoder {
    let inner = TreeEncoder(encoder.session, at: next)
    array.elements.append(.encoder(inner))
    return inner
  }
}

/// An encoded value, as a tree. A tree is used because containers may be filled in any order.
enum EncodedValue {
  case null
  case bool(Bool)
  case int(Int64)
  /// A number given by its digits: an integer beyond the range of `Int64`, or a decimal.
  case digits(String)
  /// A finite number.
  case double(Double)
  case string(String)
  case json(JSONValue)
  case array(EncodedArray)
  case object(EncodedObject)
  /// The value of a nested encoder, which may be filled later.
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

  /// The members in the order in which they were encoded. A key may be repeated.
  var members: [Member] = []
  /// Whether the members come from a dictionary. The order of a dictionary's members differs in
  /// each process.
  private let isDictionary: Bool

  init(keyedBy key: Any.Type? = nil) {
    isDictionary = key != nil && key == EncodedObject.dictionaryKey
  }

  /// The key type that Swift's dictionaries with string or integer keys use to encode themselves;
  /// nil if a later version of Swift renames this type, which the test of COD-63 detects.
  private static let dictionaryKey: (any Any.Type)? = _typeByName("s20_DictionaryCodingKeyV")

  /// The members to write, each key once. The members of a dictionary are sorted: first integers by
  /// value, then names by their bytes. (COD-63)
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
  /// Writes the value as JSON. Numbers must be finite.
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
    // An encoder that has encoded nothing is written as an empty object.
    case .encoder(let encoder): try (encoder.value ?? .object(EncodedObject())).write(to: &writer)
    }
  }
}

extension JSONDocument {
  /// Encodes a value of the program as JSON, and parses the JSON as a document. Use this document
  /// for local content.
  ///
  /// Members are written in the order in which the type encodes them, usually the order of
  /// declaration. Integers are exact. Floating-point numbers have the shortest form that is read
  /// back as the same number.
  ///
  ///     resource.overrideLocalContent(with: .json(try JSONDocument(encoding: user)))
  ///
  /// - Throws: `EncodingError` with the coding path, for example for NaN; the error of an
  ///   `encode(to:)`; `JSONError` if the result can't be a document.
  public convenience init(
    encoding value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws {
    try self.init(parsing: try JSONDocument.text(encoding: value, userInfo: userInfo))
  }

  /// Encodes a value as compact JSON text in UTF-8.
  package static func text(
    encoding value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> [UInt8] {
    let session = EncodingSession(userInfo: userInfo)
    let encoded = try TreeEncoder(session, at: nil).encoded(value, at: nil)
    if let problem = session.problem { throw problem }
    var writer = JSONWriter()
    try encoded.write(to: &writer)
    return writer.output
  }
}
