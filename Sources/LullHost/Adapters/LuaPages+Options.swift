import CLullBridge
import LullCore

// The options of `resource:pages{ next =, cursor =, page =, offset =, max =, cross_origin = }`.
extension LuaPages.Options {
  static let pagesKeys = ["next", "cursor", "page", "offset", "max", "cross_origin"]
  static let cursorKeys = ["param", "field", "items", "more"]
  static let pageNumberKeys = ["param", "first", "step", "items"]
  static let offsetKeys = ["param", "first", "items"]

  /// Reads the options of `pages` from a table. If the options include a function, the caller must
  /// keep the function alive.
  ///
  /// - Parameter allowsRelay: Whether `relay` may name the connection of a GraphQL operation. The
  ///   caller then sets the rule that finds the next page.
  package init(
    _ table: Int32, _ state: OpaquePointer?, _ reader: OptionReader, _ stored: StoredValues,
    allowsRelay: Bool = false
  ) throws(Misuse) {
    var options = LuaPages.Options()
    var way: String?
    let known = LuaPages.Options.pagesKeys + (allowsRelay ? ["relay"] : [])
    try reader.forEach(of: table, in: state, known: known) {
      name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: state)
      switch name {
      case "max": options.max = try Self.pageLimit(value)
      case "cross_origin":
        guard let isAllowed = value.bool else {
          throw .message("'\(name)' must be true or false, got \(value.described)")
        }
        options.allowsOtherOrigins = isAllowed
      default:
        if let way {
          let names = [way, name].sorted()
          throw .message(
            "'\(names[0])' and '\(names[1])' cannot be combined: both find the next page")
        }
        way = name
        if name == "relay" {
          let path = try value.text(name)
          guard !path.isEmpty else {
            throw .message("'relay' must be the path of a connection, such as \"user.posts\"")
          }
          options.relay = path
        } else if name == "next", Int(value.kind) == Int(LULL_FUNCTION) {
          options.next = .asked
          options.function = try stored.keep(state, index)
          options.stored = stored
        } else {
          options.next = try Self.nextPage(reader, state, name, value, index)
        }
      }
    }
    self = options
  }

  private static func pageLimit(_ value: lull_value) throws(Misuse) -> Int {
    if let number = value.double, number == .infinity { return .max }
    guard value.kind == Int32(LULL_INTEGER), NumberRule.pages.allows(Double(value.integer)) else {
      throw .message(
        "'max' must be \(NumberRule.pages.expectation), or math.huge, got \(value.described)")
    }
    return Int(value.integer)
  }

  private static func nextPage(
    _ reader: OptionReader, _ state: OpaquePointer?, _ name: String, _ value: lull_value,
    _ index: Int32
  ) throws(Misuse) -> NextPage {
    switch (name, Int(value.kind)) {
    case ("next", Int(LULL_STRING)):
      let text = value.string ?? ""
      guard !text.isEmpty else { throw .message("'next' must name a field, got an empty string") }
      return text == "link" ? .link : .field(FieldPath(text))
    case ("next", _):
      throw .message(
        "'next' must be \"link\", the name of a field, or a function, got "
          + value.described)
    case (_, Int(LULL_TABLE)): break
    default: throw .message("'\(name)' must be a table, got \(value.described)")
    }
    return name == "cursor"
      ? try cursor(reader, state, index)
      : try pageNumber(reader, state, index, isOffset: name == "offset")
  }

  private static func cursor(_ reader: OptionReader, _ state: OpaquePointer?, _ index: Int32)
    throws(Misuse) -> NextPage
  {
    var texts: [String: String] = [:]
    try reader.forEach(of: index, in: state, known: LuaPages.Options.cursorKeys) {
      name, value throws(Misuse) in texts[name] = try value.text(name)
    }
    guard let parameter = texts["param"], let field = texts["field"] else {
      throw .message(
        "'cursor' needs 'param', the parameter to set, and 'field', where the value comes from")
    }
    for name in ["field", "more"] where texts[name] == "" {
      throw .message("'\(name)' must name a field, got an empty string")
    }
    return .cursor(
      PageCursor(
        parameter: parameter, field: FieldPath(field),
        items: texts["items"].map { $0.isEmpty ? .root : FieldPath($0) },
        more: texts["more"].map { FieldPath($0) }))
  }

  private static func pageNumber(
    _ reader: OptionReader, _ state: OpaquePointer?, _ index: Int32, isOffset: Bool
  ) throws(Misuse) -> NextPage {
    var texts: [String: String] = [:]
    var numbers = isOffset ? ["first": 0] : ["first": 1, "step": 1]
    let known = isOffset ? LuaPages.Options.offsetKeys : LuaPages.Options.pageNumberKeys
    try reader.forEach(of: index, in: state, known: known) { name, value throws(Misuse) in
      guard numbers[name] != nil else {
        return texts[name] = try value.text(name)
      }
      let rule: NumberRule = name == "first" ? .position : .step
      guard value.kind == Int32(LULL_INTEGER), rule.allows(Double(value.integer)) else {
        throw .message("'\(name)' must be \(rule.expectation), got \(value.described)")
      }
      numbers[name] = Int(value.integer)
    }
    guard let parameter = texts["param"] else {
      let name = isOffset ? "offset" : "page"
      throw .message("'\(name)' needs 'param', the name of the query parameter")
    }
    let items = texts["items"].map { FieldPath($0) } ?? .root
    let first = numbers["first"] ?? 1
    return isOffset
      ? .offset(parameter: parameter, first: first, items: items)
      : .numbered(parameter: parameter, first: first, step: numbers["step"] ?? 1, items: items)
  }
}
