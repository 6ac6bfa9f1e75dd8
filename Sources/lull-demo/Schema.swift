/// The fields of the items in one collection, and what may be in them.
///
/// Described by values rather than by one Swift type per collection, so that users and notes share
/// every line of code that serves them.
struct Schema: Sendable {
  enum Kind: String, Sendable {
    case string = "a string"
    case int = "a whole number"
    case bool = "true or false"
  }

  struct Field: Sendable {
    let name: String
    let kind: Kind
    /// Nil for a field that must be given.
    var standard: JSON?
  }

  /// What one item is called, such as `user`.
  let item: String
  let fields: [Field]

  /// The members of an item in the order of the fields. Unknown ones are ignored, as a lenient API
  /// does; null stands for the default.
  func members(of object: JSON) throws -> [(name: String, value: JSON)] {
    try fields.map { field in
      switch (field.kind, object[field.name] ?? .null) {
      case (_, .null):
        guard let standard = field.standard else {
          throw Problem.badRequest("a \(item) needs the field '\(field.name)'")
        }
        return (field.name, standard)
      case (.string, let value) where value.string != nil: return (field.name, value)
      case (.int, .int(let value)): return (field.name, .int(value))
      case (.bool, .bool(let value)): return (field.name, .bool(value))
      default:
        throw Problem.badRequest("the field '\(field.name)' must be \(field.kind.rawValue)")
      }
    }
  }

  static let user = Schema(
    item: "user",
    fields: [
      Field(name: "name", kind: .string),
      Field(name: "email", kind: .string, standard: ""),
      Field(name: "role", kind: .string, standard: "member"),
      Field(name: "visits", kind: .int, standard: 0),
    ])

  static let note = Schema(
    item: "note",
    fields: [
      Field(name: "title", kind: .string),
      Field(name: "body", kind: .string, standard: ""),
      Field(name: "done", kind: .bool, standard: false),
    ])

  static let article = Schema(
    item: "article",
    fields: [
      Field(name: "title", kind: .string),
      Field(name: "topic", kind: .string, standard: "tea"),
      Field(name: "words", kind: .int, standard: 0),
    ])
}
