package import LullCore

/// The common structure of many JSON values at the same position: their number, their types, and
/// the structure of their content.
///
/// The values themselves are not stored. A key is stored only if it looks like a field name. Shapes
/// are value types.
package struct Shape: Sendable {
  package struct Kinds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let null = Kinds(rawValue: 1)
    package static let boolean = Kinds(rawValue: 2)
    package static let integer = Kinds(rawValue: 4)
    /// A number that has a fraction or an exponent, or is too large for an integer.
    package static let number = Kinds(rawValue: 8)
    package static let string = Kinds(rawValue: 16)
    package static let array = Kinds(rawValue: 32)
    package static let object = Kinds(rawValue: 64)
    /// A value that is nested too deeply to be examined.
    package static let unknown = Kinds(rawValue: 128)
  }

  package struct Field: Sendable {
    package let name: String
    package var shape: Shape
  }

  /// The largest nesting depth that is examined. The type of deeper values is unknown.
  private static let deepest = 64
  /// The largest number of fields of a record. An object with more fields is treated as a map.
  private static let mostFields = 1000

  /// The number of values that were added.
  package private(set) var count = 0
  package private(set) var kinds: Kinds = []
  /// The number of added values that were objects.
  package private(set) var objectCount = 0
  /// The fields of the objects, in the order in which they were first seen.
  package private(set) var fields: [Field] = []
  private var places: [String: Int] = [:]
  // Each list is empty or has one element. It is a list because a struct can't contain itself.
  private var elementShape: [Shape] = []
  private var entryShape: [Shape] = []

  package init() {}

  /// The shape of the elements of arrays; nil if all arrays were empty.
  package var element: Shape? { elementShape.first }

  /// The shape of the values whose keys are not field names; nil if there are none.
  package var entries: Shape? { entryShape.first }

  /// Adds a value to the shape.
  package mutating func add(_ value: JSONElement) { add(value, depth: 0) }

  private mutating func add(_ value: JSONElement, depth: Int) {
    count += 1
    guard depth < Shape.deepest else {
      kinds.insert(.unknown)
      return
    }
    switch value.kind {
    case .null: kinds.insert(.null)
    case .bool: kinds.insert(.boolean)
    case .int: kinds.insert(.integer)
    case .double: kinds.insert(.number)
    case .string: kinds.insert(.string)
    case .array:
      kinds.insert(.array)
      for element in value.elements {
        if elementShape.isEmpty { elementShape.append(Shape()) }
        elementShape[0].add(element, depth: depth + 1)
      }
    case .object:
      kinds.insert(.object)
      objectCount += 1
      for (key, member) in value.pairs { add(member, at: key, depth: depth + 1) }
    }
  }

  private mutating func add(_ member: JSONElement, at key: String, depth: Int) {
    if let place = places[key] {
      fields[place].shape.add(member, depth: depth)
    } else if !KeyKind.isData(key), fields.count < Shape.mostFields {
      places[key] = fields.count
      fields.append(Field(name: key, shape: Shape()))
      fields[fields.count - 1].shape.add(member, depth: depth)
    } else {
      if entryShape.isEmpty { entryShape.append(Shape()) }
      entryShape[0].add(member, depth: depth)
    }
  }

  /// Adds the values of another shape to this shape.
  package mutating func merge(_ other: Shape) {
    count += other.count
    kinds.formUnion(other.kinds)
    objectCount += other.objectCount
    for field in other.fields {
      if let place = places[field.name] {
        fields[place].shape.merge(field.shape)
      } else {
        places[field.name] = fields.count
        fields.append(field)
      }
    }
    Shape.merge(&elementShape, other.elementShape)
    Shape.merge(&entryShape, other.entryShape)
  }

  private static func merge(_ one: inout [Shape], _ other: [Shape]) {
    guard let other = other.first else { return }
    if one.isEmpty { one.append(other) } else { one[0].merge(other) }
  }

  // MARK: Records and maps

  /// This shape with maps resolved. In a resolved map, the keys are removed, and all values have
  /// one common shape.
  package var settled: Shape {
    var shape = self
    if !elementShape.isEmpty { shape.elementShape[0] = elementShape[0].settled }
    if isMap {
      var entries = Shape()
      for field in fields { entries.merge(field.shape) }
      if let others = entryShape.first { entries.merge(others) }
      shape.fields = []
      shape.places = [:]
      shape.entryShape = [entries.settled]
      return shape
    }
    for place in fields.indices { shape.fields[place].shape = fields[place].shape.settled }
    if !entryShape.isEmpty { shape.entryShape[0] = entryShape[0].settled }
    return shape
  }

  /// Whether the objects are maps, whose keys are data. If false, they are records with fields.
  private var isMap: Bool {
    // A value that was always null is compatible with any other, so compare with a field that was
    // not.
    let known = fields.first { !$0.shape.kinds.compared.isEmpty } ?? fields.first
    guard let first = known?.shape else { return !entryShape.isEmpty }
    guard (fields.map(\.shape) + entryShape).allSatisfy({ first.isLike($0) }) else { return false }
    if let entries = entryShape.first { return entries.count >= fields.count }
    let values = fields.reduce(0) { $0 + $1.shape.count }
    let areRecords = fields.allSatisfy { $0.shape.fields.count >= 2 }
    // In a map, nearly every object has other keys. Different objects of a record share some of its
    // fields.
    let isSparse = 2 * values <= fields.count * objectCount
    if objectCount >= 2, isSparse, fields.count >= 3 || (areRecords && fields.count >= 2) {
      return fields.allSatisfy { $0.shape.count < objectCount }
    }
    let isSteady = objectCount >= 3 && values == fields.count * objectCount
    if isSteady { return false }
    return areRecords ? fields.count >= 5 : objectCount == 1 && fields.count >= 24
  }

  /// Returns whether both shapes may describe values of the same type. Fields and elements that
  /// only one of the shapes has seen are not compared.
  package func isLike(_ other: Shape) -> Bool {
    let (one, two) = (kinds.compared, other.kinds.compared)
    guard !one.isEmpty, !two.isEmpty else { return true }
    guard one == two else { return false }
    if one.contains(.object), !hasLikeFields(other) { return false }
    guard let element = elementShape.first, let others = other.elementShape.first else {
      return true
    }
    return element.isLike(others)
  }

  /// Returns whether at least 60 % of the fields of both shapes occur in both of them.
  private func hasLikeFields(_ other: Shape) -> Bool {
    // A map may have a key that looks like a field name.
    let mayBeMaps = [self, other].contains { $0.fields.isEmpty && !$0.entryShape.isEmpty }
    guard !mayBeMaps else { return true }
    let shared = fields.count { other.places[$0.name] != nil }
    let all = fields.count + other.fields.count - shared
    return all == 0 || 10 * shared >= 6 * all
  }
}

extension Shape.Kinds {
  /// The types without null. Integers and other numbers count as one type.
  var compared: Shape.Kinds {
    var kinds = subtracting([.null, .unknown])
    if kinds.contains(.number) { kinds.remove(.integer) }
    if kinds.contains(.integer) {
      kinds.remove(.integer)
      kinds.insert(.number)
    }
    return kinds
  }
}
