internal import CSimdjson

/// A JSON value in a document, stored as a position and a reference that keeps the document alive.
///
/// Reading a property builds only that value. Reading the value as a type that it doesn't have
/// returns nil or an empty result, never an error.
public struct JSONElement: Sendable {
  /// The JSON type of a value. Numbers are split into whole and other numbers.
  public enum Kind: Sendable {
    /// The types of JSON, with two types for numbers. An `int` is written without fraction or
    /// exponent and fits into 64 bits. A `double` is any other number. An integer that doesn't fit
    /// into 64 bits is a `double` with `digits`, and so is a number beyond the range of doubles.
    /// (JSN-12, JSN-160)
    case null, bool, int, double, string, array, object
  }

  /// The document, kept alive by this value.
  public let document: JSONDocument
  /// The position of the value on the document's tape.
  package let index: Int

  package init(document: JSONDocument, index: Int) {
    self.document = document
    self.index = index
  }

  /// The type of the value.
  public var kind: Kind {
    switch type {
    case CSJ_FALSE, CSJ_TRUE: .bool
    case CSJ_INT: .int
    case CSJ_DOUBLE: .double
    case CSJ_STRING: .string
    case CSJ_ARRAY: .array
    case CSJ_OBJECT: .object
    default: .null
    }
  }

  /// Whether the value is JSON's null. If a member is missing, the subscript returns nil instead.
  public var isNull: Bool { type == CSJ_NULL }

  /// The value as a boolean; nil for any other type, including numbers.
  public var bool: Bool? {
    switch type {
    case CSJ_TRUE: true
    case CSJ_FALSE: false
    default: nil
    }
  }

  /// The value as an integer: a number within 64 signed bits, written without fraction or exponent.
  /// nil for any other value. (JSN-12)
  public var int: Int? {
    guard type == CSJ_INT else { return nil }
    return withView { Int(csj_int_at($0, index)) }
  }

  /// The value as a double: any number, with integers converted; nil for any other type. A number
  /// beyond the largest double, such as 1e400, is infinite and has `digits`. (JSN-160)
  public var double: Double? {
    switch type {
    case CSJ_DOUBLE: withView { csj_double_at($0, index) }
    case CSJ_INT: withView { Double(csj_int_at($0, index)) }
    default: nil
    }
  }

  /// The digits, as written in the document, of an integer beyond 64 signed bits or of a number
  /// beyond the largest double; nil for any other value. The `double` of the same number is rounded
  /// or infinite. (JSN-12, JSN-160)
  public var digits: String? {
    guard type == CSJ_DOUBLE else { return nil }
    return withView { view in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CSJ_DIGITS_SIZE)) { buffer in
        var length = 0
        guard let start = csj_digits_at(view, index, buffer.baseAddress, &length) else {
          return nil
        }
        // The C side guarantees `length` bytes there, in the document or in the buffer.
        let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(start), count: length)
        return String(decoding: bytes, as: UTF8.self)
      }
    }
  }

  /// The `digits` of an integer beyond 64 signed bits, which is written without fraction or
  /// exponent; nil for any other value.
  package var integerDigits: String? {
    guard let digits, digits.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }) else {
      return nil
    }
    return digits
  }

  /// The value as a string, decoded at each call; nil for any other type.
  public var string: String? {
    guard type == CSJ_STRING else { return nil }
    return withView { String(decoding: JSONElement.bytes($0, index), as: UTF8.self) }
  }

  /// The number of elements of an array, or the number of different keys of an object.
  public var count: Int {
    switch type {
    case CSJ_ARRAY: withView { csj_count($0, index) }
    case CSJ_OBJECT: withView { JSONElement.pairs($0, index).count }
    default: 0
    }
  }

  /// The value of `key`, if this value is an object that has the key. If the key is repeated, its
  /// last value is returned. (JSN-13)
  public subscript(key: String) -> JSONElement? {
    guard type == CSJ_OBJECT else { return nil }
    var key = key
    // The bytes are only read during the call.
    let found = key.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        csj_member(document.pointer, index, $0.baseAddress, $0.count)
      }
    }
    return found == 0 ? nil : JSONElement(document: document, index: found)
  }

  /// The element at an index, counted from 0, if this value is an array that long.
  public subscript(position: Int) -> JSONElement? {
    guard type == CSJ_ARRAY, position >= 0 else { return nil }
    let found = csj_element(document.pointer, index, position)
    return found == 0 ? nil : JSONElement(document: document, index: found)
  }

  /// The value at a JSON Pointer (RFC 6901) relative to this value, such as `/items/0/name`.
  public subscript(pointer pointer: String) -> JSONElement? {
    var pointer = pointer
    // The bytes are only read during the call.
    let found = pointer.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        csj_pointer_find(document.pointer, index, $0.baseAddress, $0.count)
      }
    }
    return found == 0 ? nil : JSONElement(document: document, index: found)
  }

  /// The elements of an array, in order; empty for any other value.
  public var elements: JSONElements {
    guard type == CSJ_ARRAY else { return JSONElements(document: document, place: 0, end: 0) }
    return withView {
      JSONElements(document: document, place: csj_first($0, index), end: csj_end($0, index))
    }
  }

  /// The members of an object: each key once, at its first position, with its last value. (JSN-13)
  public var pairs: [(key: String, value: JSONElement)] {
    guard type == CSJ_OBJECT else { return [] }
    return withView { view in
      JSONElement.pairs(view, index).map { pair in
        let key = String(decoding: JSONElement.bytes(view, Int(pair.key)), as: UTF8.self)
        return (key, JSONElement(document: document, index: Int(pair.value)))
      }
    }
  }

  /// The value as plain Swift values. Integers beyond 64 signed bits are rounded to doubles.
  /// Numbers beyond the range of doubles are infinite; encoding them fails.
  public var plainValue: JSONValue {
    switch kind {
    case .null: .null
    case .bool: .bool(bool ?? false)
    case .int: .int(int ?? 0)
    case .double: .double(double ?? 0)
    case .string: .string(string ?? "")
    case .array: .array(elements.map(\.plainValue))
    case .object: .object(pairs.map { JSONValue.Member($0.key, $0.value.plainValue) })
    }
  }

  /// Appends the value as JSON to `output`, without spaces unless `pretty` is set. Integers are
  /// exact, doubles have the shortest form that is read back as the same number, and only necessary
  /// characters are escaped. (JSN-13, REQ-10)
  public func encode(into output: inout [UInt8], pretty: Bool = false) {
    encode(into: &output, pretty: pretty, spelledBy: nil)
  }

  /// Appends the value as JSON to `output`. If `spelling` is given, numbers are written in their
  /// original spelling.
  package func encode(
    into output: inout [UInt8], pretty: Bool = false, spelledBy spelling: JSONSpelling?
  ) {
    var writer = JSONWriter(pretty: pretty)
    writer.write(self, spelledBy: spelling)
    output += writer.output
  }

  // MARK: The tape

  private var type: csj_type { withView { csj_type_at($0, index) } }

  // Every read of the tape uses this function, because the document must outlive the pointers in
  // its view.
  func withView<R>(_ body: (csj_view) -> R) -> R {
    withExtendedLifetime(document) { body(document.view) }
  }

  /// The tape positions of an object's keys and values, each key once.
  static func pairs(_ view: csj_view, _ object: Int) -> [csj_pair] {
    Array(unsafeUninitializedCapacity: csj_count(view, object)) { buffer, count in
      // `csj_count` includes repeated keys, so there is room for all.
      count = csj_pairs(view, object, buffer.baseAddress)
    }
  }

  /// The bytes of the string at a tape position, valid as long as the view.
  static func bytes(_ view: csj_view, _ index: Int) -> UnsafeBufferPointer<UInt8> {
    var length = 0
    let start = UnsafeRawPointer(csj_string_at(view, index, &length))
    // The C side guarantees `length` bytes there, which are never written to.
    return UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: length)
  }
}

/// The elements of an array, iterated without building values.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
  let document: JSONDocument
  var place: Int
  let end: Int

  public mutating func next() -> JSONElement? {
    guard place < end else { return nil }
    let element = JSONElement(document: document, index: place)
    // The document must outlive the pointers in its view.
    place = withExtendedLifetime(document) { csj_after(document.view, place) }
    return element
  }
}

/// A member of an object that is to be written as JSON.
package protocol JSONMember {
  associatedtype Value
  var key: String { get }
  var value: Value { get set }
}

extension Array where Element: JSONMember {
  /// The members with each key once, at its first position, with its last value. (JSN-13)
  var withoutRepetition: [Element] {
    // Keys rarely repeat, and few keys can be compared without hashing. `==` may report a
    // repetition where there is none, because it treats equivalent compositions of a character as
    // equal. It never misses a repetition.
    let mayRepeat =
      count > 16
      || indices.contains { place in self[..<place].contains { $0.key == self[place].key } }
    guard mayRepeat else { return self }
    var positions: [[UInt8]: Int] = [:]
    var unique: [Element] = []
    for member in self {
      if let position = positions[Array<UInt8>(member.key.utf8)] {
        unique[position].value = member.value
      } else {
        positions[Array<UInt8>(member.key.utf8)] = unique.count
        unique.append(member)
      }
    }
    return unique
  }
}

extension JSONElement: Equatable {
  /// Whether two values have the same content, even in different documents. Numbers are compared by
  /// value, and members in any order. For repeated keys, the last value is used. (JSN-13)
  public static func == (one: JSONElement, other: JSONElement) -> Bool {
    csj_same_value(one.document.pointer, one.index, other.document.pointer, other.index) != 0
  }
}
