import LullArguments

/// Finds a replacement for a field that an object, the module `lull` or one of its tables does not
/// have. The replacement is a member under another name, or the member of a related object.
/// (LUA-180, LUA-181)
struct FieldSuggestion {
  let library: LuaLibrary

  /// The kinds of related objects that may have a field that this kind lacks, each with the Lua
  /// code that leads to such an object.
  private static func neighbours(of kind: HandleKind) -> [(kind: HandleKind, code: String)] {
    switch kind {
    case .service: [(.resource, "service(\"/path\")")]
    case .resource: [(.entity, "resource.latest_data")]
    case .request: [(.entity, "assert(request:await())"), (.response, "request.response")]
    case .response: [(.entity, "response.entity"), (.error, "response.error")]
    case .error: [(.entity, "error.entity")]
    default: []
    }
  }

  /// Members of Lull's objects, keyed by the names that other libraries use for them.
  private static let foreignNames = [
    "body": "content", "data": "content", "json": "content", "code": "status",
    "status_code": "status", "message": "user_message", "error": "latest_error",
    "ok": "is_success", "url": "base_url",
  ]

  /// Code for functions of the module and its tables, keyed by the names that other libraries and
  /// languages use for the functions.
  private static let foreignFunctions = [
    "lull": [
      "fetch": "lull.get(url)", "http": "lull.get(url)", "client": "lull.service(base_url)",
      "session": "lull.service(base_url)", "new": "lull.service(base_url)",
      "await": "request:await()", "async": "lull.spawn(fn)", "wait": "lull.sleep(seconds)",
      "parallel": "lull.all(list)", "gather": "lull.all(list)", "parse": "lull.json.decode(text)",
      "decode": "lull.json.decode(text)", "encode": "lull.json.encode(value)",
    ],
    "lull.json": [
      "parse": "lull.json.decode(text)", "loads": "lull.json.decode(text)",
      "stringify": "lull.json.encode(value)", "dumps": "lull.json.encode(value)",
    ],
  ]

  /// Returns code to use in place of a field that objects of that kind do not have, or nil if no
  /// known name is similar.
  ///
  /// - Parameter own: names that this one object has in addition to the members of its kind.
  func code(for name: String, of kind: HandleKind, and own: [String] = []) -> String? {
    let members = library.members
    let names = members.filter { $0.kind == kind && !$0.name.hasPrefix("__") }.map(\.name) + own
    let foreign = FieldSuggestion.foreignNames[name]
    if let foreign, names.contains(foreign) { return foreign }
    for wanted in [name, foreign].compactMap(\.self) where !wanted.hasPrefix("__") {
      for next in FieldSuggestion.neighbours(of: kind) {
        guard let member = members.first(where: { $0.kind == next.kind && $0.name == wanted })
        else { continue }
        return next.code + (member.role == .method ? ":\(wanted)(…)" : ".\(wanted)")
      }
    }
    return NearestName.suggestion(for: name, among: names)
  }

  /// Returns a sentence which says that the module, or one of its tables, does not have a field
  /// with the name `name`. If a replacement is known, the sentence includes it. Returns nil if the
  /// field exists in the API, or if the API has no table with that path.
  ///
  /// - Parameter table: the path of the table, such as `lull` or `lull.json`.
  func note(on name: String, missingIn table: String) -> String? {
    let owners = library.description.owners
    guard let owner = owners.first(where: { $0.isModule && $0.name == table }) else { return nil }
    let tables = owners.filter { $0.isModule && $0.name.hasPrefix(table + ".") }
      .map { String($0.name.dropFirst(table.count + 1)) }
    let names = owner.entries.map(\.name) + tables
    // The API has this name, so the script itself has removed the value.
    guard !names.contains(name) else { return nil }
    let code =
      FieldSuggestion.foreignFunctions[table]?[name]
      ?? NearestName.suggestion(for: name, among: names).map { "\(table).\($0)" }
    let hint = code.map { " (did you mean '\($0)'?)" } ?? ""
    return "\(table) has no field '\(name)'\(hint)"
  }
}

extension APIOwner {
  fileprivate var isModule: Bool {
    if case .module = kind { true } else { false }
  }
}
