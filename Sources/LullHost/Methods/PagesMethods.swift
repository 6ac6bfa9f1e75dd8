import CLullBridge
import LullCore

extension Method {
  private static func pages(_ call: Call) throws(Misuse) -> LuaPages {
    try call.selfObject(.pages, as: LuaPages.self)
  }

  static let pagesMethods: [Method] = [
    .method(.resource, "pages", "T") { call throws(Misuse) in try call.host.pages(call) },
    .getter(.pages, "count") { call throws(Misuse) in
      call.return(.int(Int64(try pages(call).count)))
    },
    .method(.pages, "__call", "*") { call throws(Misuse) in try pages(call).next(call) },
    .method(.pages, "stop") { call throws(Misuse) in try pages(call).end() },
    .method(.pages, "__close", "*") { call throws(Misuse) in try pages(call).end() },
    .method(.pages, "__tostring") { call throws(Misuse) in
      let pages = try pages(call)
      let state = pages.isOver ? "over after \(pages.count)" : "\(pages.count) so far"
      call.return(.string("Pages(\(pages.resource.displayName), \(state))"))
    },
  ]
}

extension LuaHost {
  static let pagesKeys = ["next", "cursor", "page", "max", "cross_origin"]
  static let cursorKeys = ["param", "field"]
  static let pageNumberKeys = ["param", "first", "step", "items"]

  /// `resource:pages{ next =, cursor =, page =, max =, cross_origin = }`
  func pages(_ call: Call) throws(Misuse) {
    let options = call.isNil(1) ? .init() : try pagesOptions(call.index(1), call.state)
    returnPages(of: try call.resource, options, call)
  }

  /// Function, state, control variable, and what `for` closes when it is left.
  func returnPages(of resource: Resource, _ options: LuaPages.Options, _ call: Call) {
    let pages = LuaPages(resource, options, host: self)
    let object = values.of(pages, .pages, service: resource.service, anchor: options.function)
    if case .object(let handle, _, _, _) = object { pages.hostHandle = handle }
    for value in [object, .nil, .nil, object] { call.return(value) }
  }

  /// The options in a table; a kept function among them is the caller's to hold.
  func pagesOptions(_ table: Int32, _ state: OpaquePointer?) throws(Misuse) -> LuaPages.Options {
    var options = LuaPages.Options()
    var way: String?
    try reading.options.forEach(of: table, in: state, known: LuaHost.pagesKeys) {
      name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: state)
      switch name {
      case "max": options.max = try pageLimit(value)
      case "cross_origin":
        guard let isAllowed = value.bool else {
          throw .message("'\(name)' must be true or false, got \(value.described)")
        }
        options.allowsOtherOrigins = isAllowed
      default:
        if let way {
          let names = [way, name].sorted()
          throw .message("pages go on by '\(names[0])' or '\(names[1])', not both")
        }
        way = name
        options.next = try nextPage(state, name, value, index)
      }
    }
    return options
  }

  private func pageLimit(_ value: lull_value) throws(Misuse) -> Int {
    if let number = value.double, number == .infinity { return .max }
    guard value.kind == Int32(LULL_INTEGER), value.integer > 0 else {
      throw .message(
        "'max' must be a number of pages, 1 or more, or math.huge, got \(value.described)")
    }
    return Int(value.integer)
  }

  private func nextPage(
    _ state: OpaquePointer?, _ name: String, _ value: lull_value, _ index: Int32
  )
    throws(Misuse) -> NextPage
  {
    switch (name, Int(value.kind)) {
    case ("next", Int(LULL_FUNCTION)): return .function(try kept.keep(state, index))
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
    return name == "cursor" ? try cursor(state, index) : try pageNumber(state, index)
  }

  private func cursor(_ state: OpaquePointer?, _ index: Int32) throws(Misuse) -> NextPage {
    var texts: [String: String] = [:]
    try reading.options.forEach(of: index, in: state, known: LuaHost.cursorKeys) {
      name, value throws(Misuse) in texts[name] = try value.text(name)
    }
    guard let parameter = texts["param"], let field = texts["field"] else {
      throw .message(
        "'cursor' needs 'param', the parameter to set, and 'field', where the value comes from")
    }
    return .cursor(parameter: parameter, field: FieldPath(field))
  }

  private func pageNumber(_ state: OpaquePointer?, _ index: Int32) throws(Misuse) -> NextPage {
    var texts: [String: String] = [:]
    var numbers = ["first": 1, "step": 1]
    try reading.options.forEach(of: index, in: state, known: LuaHost.pageNumberKeys) {
      name, value throws(Misuse) in
      guard numbers[name] != nil else {
        return texts[name] = try value.text(name)
      }
      guard value.kind == Int32(LULL_INTEGER), (-1 << 53...1 << 53).contains(value.integer),
        name == "first" || value.integer != 0
      else {
        throw .message("'\(name)' must be a whole number, got \(value.described)")
      }
      numbers[name] = Int(value.integer)
    }
    guard let parameter = texts["param"] else {
      throw .message("'page' needs 'param', the parameter that counts")
    }
    return .numbered(
      parameter: parameter, first: numbers["first"] ?? 1, step: numbers["step"] ?? 1,
      items: texts["items"].map { FieldPath($0) } ?? .root)
  }
}
