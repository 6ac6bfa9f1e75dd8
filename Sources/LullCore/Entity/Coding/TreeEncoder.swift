/// The encoder of one value, and where that is kept.
///
/// Whatever a type does wrong, such as encoding two values where there is room for one, is noted and
/// thrown at the end: some of the protocol's functions cannot throw.
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
    // A class and those it inherits from fill one object.
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
          .init(codingPath: codingPath, debugDescription: "a second value is encoded in one place"))
      )
    }
    value = new
  }

  /// What becomes of a value that stands at `step`.
  func encoded<Value: Encodable>(
    _ value: Value, at step: @autoclosure () -> EncodingStep?
  ) throws -> EncodedValue {
    switch value {
    case let value as String: return .string(value)
    case let value as Bool: return .bool(value)
    case let value as Double: return try number(value, value, step())
    // Its decimal form, or 0.1 would become 0.10000000149011612.
    case let value as Float: return try number(Double(value.description) ?? .nan, value, step())
    case let value as any FixedWidthInteger & Encodable:
      return Int64(exactly: value).map { .int($0) } ?? .digits("\(value)")
    case let value as JSONValue:
      return .json(value)
    default:
      let step = step()
      guard session.levels < EncodingSession.mostLevels else {
        throw invalid(value, step, "it nests more than \(EncodingSession.mostLevels) levels")
      }
      guard session.levels < ThreadStack.fewLevels || session.stack.hasRoom else {
        throw invalid(value, step, "it takes more stack than this thread has")
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
        throw invalid(value, step, "JSON has nothing for \(value)")
      }
      return encoded
    }
  }

  private func number(
    _ number: Double, _ value: any Sendable, _ step: EncodingStep?
  ) throws -> EncodedValue {
    guard number.isFinite else { throw invalid(value, step, "JSON has no number \(value)") }
    return .double(number)
  }

  private func invalid(_ value: Any, _ step: EncodingStep?, _ message: String) -> EncodingError {
    .invalidValue(value, .init(codingPath: EncodingStep.path(to: step), debugDescription: message))
  }
}

/// What the encoders of one call share.
final class EncodingSession {
  let userInfo: [CodingUserInfoKey: any Sendable]
  /// How many types are encoding themselves, one inside the other.
  var levels = 0
  /// What nests deeper could not be read back (JSN-14), and objects that refer to each other never end.
  static let mostLevels = 1_000
  /// Of the thread that encodes.
  private(set) lazy var stack = ThreadStack()
  /// The first thing done wrong.
  private(set) var problem: (any Error)?

  init(userInfo: [CodingUserInfoKey: any Sendable]) { self.userInfo = userInfo }

  func note(_ problem: any Error) {
    if self.problem == nil { self.problem = problem }
  }
}

/// The way to a value, from the innermost step out.
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
