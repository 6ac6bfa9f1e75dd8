import LullCore

/// A keyword of a schema with its compiled value. Nested schemas are represented by the indices of
/// their nodes.
enum SchemaKeyword: Sendable {
  case never
  case type(TypeSet)
  case constant(JSONElement)
  case enumeration([JSONElement])
  case multipleOf(SchemaNumber, String)
  case bound(Bound, SchemaNumber, String)
  case minLength(Int)
  case maxLength(Int)
  case pattern(SchemaPattern)
  case minItems(Int)
  case maxItems(Int)
  case uniqueItems
  case items(prefix: [Int], rest: Int?)
  case contains(Int, least: Int, most: Int?)
  case minProperties(Int)
  case maxProperties(Int)
  case required([String])
  case dependentRequired([(name: String, needed: [String])])
  case properties(PropertyRules)
  case propertyNames(Int)
  case dependentSchemas([(name: String, node: Int)])
  case allOf([Int])
  case anyOf([Int])
  case oneOf([Int])
  case not(Int)
  case condition(Int, then: Int?, otherwise: Int?)
  case reference(Int)
  /// A dynamic reference. It refers to the outermost schema in scope with an anchor of this name.
  /// If there is none, it refers to the node with this index.
  case dynamicReference(name: String, Int)
  case unevaluatedItems(Int)
  case unevaluatedProperties(Int)

  enum Bound: Sendable {
    case minimum, maximum, exclusiveMinimum, exclusiveMaximum
  }

  /// The schemas of an object's members: by name, by pattern, and for all other members.
  struct PropertyRules: Sendable {
    var names = NameTable()
    var patterns: [(pattern: SchemaPattern, node: Int)] = []
    var additional: Int?
  }

  /// A set of JSON types. An integer is a number without a fraction.
  struct TypeSet: OptionSet, Sendable {
    let rawValue: UInt8

    static let null = TypeSet(rawValue: 1)
    static let boolean = TypeSet(rawValue: 2)
    static let integer = TypeSet(rawValue: 4)
    static let number = TypeSet(rawValue: 8)
    static let string = TypeSet(rawValue: 16)
    static let array = TypeSet(rawValue: 32)
    static let object = TypeSet(rawValue: 64)

    static let names: [(name: String, set: TypeSet, words: String)] = [
      ("string", .string, "a string"), ("integer", .integer, "a whole number"),
      ("number", .number, "a number"), ("boolean", .boolean, "true or false"),
      ("array", .array, "an array"), ("object", .object, "an object"), ("null", .null, "null"),
    ]

    /// The names of the types, for messages.
    var words: String {
      let words = TypeSet.names.filter { contains($0.set) }.map(\.words)
      guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
      return words.dropLast().joined(separator: ", ") + " or " + last
    }
  }
}

/// A compiled schema, with its keywords in the order of evaluation.
struct SchemaNode: Sendable {
  /// The index of the resource to which the schema belongs. Used for dynamic references.
  var resource: Int
  var keywords: [SchemaKeyword] = []
}
