/// The signs of an error in a response with a status of success.
enum PageError {
  /// The fields that describe the error in a response with a status of success.
  static let fields = [
    "error", "errors", "fault", "message", "error_message", "errorMessage", "detail", "error_code",
    "errorCode",
  ]
  /// Fields that indicate an error even if the page also has an empty list.
  static let certain = ["error", "errors"]
  /// Flags that are false if the response is an error.
  static let flags = ["ok", "success"]
}

/// A summary of a page's content for comparing pages: its kind, the path of its list, and signs of
/// errors.
struct PageShape {
  private enum Kind: String {
    case list = "a list"
    case object = "an object"
    case text = "text"
    case other = "a single value"
  }

  /// The kind of the content; nil without content, and for a table of a script that may be a list
  /// or an object.
  private let kind: Kind?
  /// Whether the page is null or has no body. Such a page is the end of a list.
  let isNothing: Bool
  /// The path of the list; nil if it is unknown.
  let list: FieldPath?
  /// The number of rows; nil if the page has no list.
  let count: Int?
  /// Whether there is a value at the path of the list.
  private let hasRows: Bool
  /// The fields that indicate errors, by name, with their text; empty for a field without text.
  private let errors: [String: String]
  /// The names of the `PageError.flags` that are false.
  private let denied: Set<String>
  /// For each object on the path to the list, the outermost first, the names of its members; nil if
  /// they are unknown.
  private let members: [[String]?]
  /// The path of the first unexpected value on the way to the list: a value that is not an object
  /// before the end of the path, or a value that is not a list at the end. nil if there is no
  /// unexpected value.
  private let mistaken: String?

  /// - Parameter list: The path of the list; nil if Lull searches the content for the list.
  init(_ content: Content, list: FieldPath?, _ fields: some ContentFieldReader) {
    let path = list ?? fields.rows(in: content)
    self.list = path
    let rows = path.map { fields.value($0, in: content) } ?? .nothing
    hasRows = rows != .nothing
    count = if case .list(let found) = rows { found } else { nil }
    kind = PageShape.kind(of: content, fields)
    isNothing =
      switch content {
      case .text(let text): text.isEmpty
      case .bytes(let bytes): bytes.isEmpty
      case .json(let document): document.root.isNull
      default: false
      }
    guard kind == .object else {
      errors = [:]
      denied = []
      members = []
      mistaken = nil
      return
    }
    errors = PageShape.errors(in: content, fields)
    denied = Set(PageError.flags.filter { fields.isFalse(FieldPath(names: [$0]), in: content) })
    let way = path?.ways.last { !$0.isEmpty } ?? []
    members = way.indices.map { fields.names(of: Array(way[..<$0]), in: content) }
    mistaken = way.indices.lazy.map { Array(way[...$0]) }.first { names in
      switch fields.value(FieldPath(names: names), in: content) {
      case .nothing: false
      case .object: names.count == way.count
      case .list: names.count < way.count
      default: true
      }
    }?.joined(separator: ".")
  }

  private static func kind(of content: Content, _ fields: some ContentFieldReader) -> Kind? {
    switch content {
    case .text(let text): return text.isEmpty ? nil : .text
    case .bytes(let bytes): return bytes.isEmpty ? nil : .text
    case .json(let document):
      switch document.root.kind {
      case .array: return .list
      case .object: return .object
      case .null: return nil
      default: return .other
      }
    case .foreign:
      switch fields.value(.root, in: content) {
      case .list(let count): return count > 0 ? .list : nil
      case .object: return .object
      case .nothing: return nil
      default: return .other
      }
    case .value: return nil
    }
  }

  private static func errors(
    in content: Content, _ fields: some ContentFieldReader
  ) -> [String: String] {
    var errors: [String: String] = [:]
    for name in PageError.fields {
      switch fields.value(FieldPath(names: [name]), in: content) {
      case .nothing, .list(0): continue
      case .text(let text) where PageNames.isEnd(text) || text.lowercased() == "false": continue
      case .text(let text): errors[name] = LogText.part(text, limit: 80)
      case .object:
        if fields.names(of: [name], in: content)?.isEmpty == true { continue }
        var shown = ""
        if case .text(let text) = fields.value(FieldPath(names: [name, "message"]), in: content) {
          shown = LogText.part(text, limit: 80)
        }
        errors[name] = shown
      default: errors[name] = ""
      }
    }
    return errors
  }

  /// Returns a description of how this page differs in kind from the first page; nil if it does not
  /// differ.
  func difference(from first: PageShape) -> String? {
    guard let kind, let known = first.kind else { return nil }
    let error = PageError.fields.first { errors[$0] != nil && first.errors[$0] == nil }
    let words = error.map { name in
      "'\(name)'" + (errors[name].flatMap { $0.isEmpty ? nil : " '\($0)'" } ?? "")
    }
    if kind != known {
      return
        "is \(kind.rawValue)\(words.map { " with \($0)" } ?? ""), but page 1 is \(known.rawValue)"
    }
    guard kind == .object, count ?? 0 == 0 else { return nil }
    let isCertain = error.map { PageError.certain.contains($0) } ?? false
    let lacksRows = first.count != nil ? count == nil : first.hasRows && !hasRows
    if let list = first.list, lacksRows {
      if let words { return "has \(words) and no list '\(list.text)', which page 1 has" }
      if let lack = lack(of: list, from: first) { return lack }
    } else if let words, isCertain {
      return "has \(words), which page 1 lacks"
    }
    if let flag = PageError.flags.first(where: { denied.contains($0) && !first.denied.contains($0) }
    ) {
      return "has '\(flag)' false, and no rows"
    }
    return nil
  }

  /// Returns a description of the problem with a page that has no list; nil if the page is valid.
  /// Some APIs leave out an empty list, but then the page has only fields that the first page has
  /// too.
  private func lack(of list: FieldPath, from first: PageShape) -> String? {
    if let mistaken {
      return mistaken == list.text
        ? "has no list in '\(mistaken)', but page 1 has one"
        : "has no list '\(list.text)', which page 1 has: '\(mistaken)' is not an object"
    }
    for (names, known) in zip(members, first.members) {
      guard let names, let known else { continue }
      let others = names.filter { !known.contains($0) }
      guard !others.isEmpty else { continue }
      let shown = others.prefix(3).map { "'\(LogText.part($0, limit: 40))'" }
      return "has \(shown.joined(separator: ", ")) and no list '\(list.text)', which page 1 has"
    }
    return nil
  }
}
