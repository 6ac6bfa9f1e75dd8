/// The owner of API entries: a table of functions, a class of objects, a table of options, a set of
/// words, or a type alias.
package struct APIOwner: Sendable {
  package enum Kind: Sendable {
    /// A table of functions and values: `lull`, `lull.json`.
    case module
    /// Objects that are userdata.
    case object
    /// A table with named fields.
    case table
    /// A set of string constants.
    case words
    /// An alias for the LuaCATS type with this text.
    case alias(String)
  }

  /// The owner's name, or nil to use the name of its kind in the bridge.
  let label: StaticString?
  package let kind: Kind
  /// The kind of the objects in the bridge, if they are userdata.
  let handle: HandleKind?
  /// The name of the object in the documentation of its members, such as `resource` in
  /// `resource:load()`.
  package let receiver: String
  /// For a table, the name of another table type whose fields this table may also have.
  package var base: String?
  package let summary: String
  package let text: String
  /// The name of the corresponding Swift type, if there is one.
  package let swift: String?
  /// Creates the entries of the members that are not documented.
  let hidden: @Sendable () -> [APIEntry]
  /// Whether the entries only document the members, because the object's `__index` implements the
  /// members.
  let isLookup: Bool
  /// Creates the entries, in the groups in which the source lists them. Creating them takes time,
  /// so it is not done at startup.
  private(set) var groups: @Sendable () -> [[APIEntry]]

  /// All entries. Each access creates them again.
  package var entries: [APIEntry] { Array(groups().joined()) }

  /// The name of the type in signatures and in the result of `tostring`; for a module, its path in
  /// Lua such as `lull.json`.
  package var name: String { label?.description ?? handle?.name ?? "" }

  /// Returns a copy of the owner that has these entries in addition to its own.
  func adding(_ more: [APIEntry]) -> APIOwner {
    var owner = self
    owner.groups = { [groups] in groups() + [more] }
    return owner
  }

  /// Returns how a member is written in Lua: `resource:child(subpath)`.
  package func spelling(of entry: APIEntry) -> String {
    if let shown = entry.shown { return shown }
    switch entry.kind {
    case .function: return "\(receiver).\(entry.name)(\(arguments(of: entry)))"
    case .method: return "\(receiver):\(entry.name)(\(arguments(of: entry)))"
    case .property: return "\(receiver).\(entry.name)"
    case .operation, .field: return entry.name
    case .word: return "\"\(entry.name)\""
    }
  }

  /// Returns the parameter names of the longest signature, with a question mark after optional
  /// parameters. A parameter is also optional if a shorter signature lacks it, provided that every
  /// name in the shorter signature occurs in the longest one.
  private func arguments(of entry: APIEntry) -> String {
    let signatures = entry.signatures
    let longest = signatures.max { $0.parameters.count < $1.parameters.count }
    let names = (longest?.parameters ?? []).map(\.name)
    let shorter = signatures.map { $0.parameters.map(\.name) }
      .filter { Set($0).isSubset(of: names) }
    return (longest?.parameters ?? []).map { parameter in
      if parameter.isVariadic { return parameter.name }
      let isNeeded = !parameter.isOptional && shorter.allSatisfy { $0.contains(parameter.name) }
      return isNeeded ? parameter.name : parameter.name + "?"
    }.joined(separator: ", ")
  }

  static func module(
    _ name: StaticString, handle: HandleKind? = nil, _ summary: String, _ text: String = "",
    entries: @autoclosure @escaping @Sendable () -> [APIEntry],
    hidden: @autoclosure @escaping @Sendable () -> [APIEntry] = []
  ) -> APIOwner {
    APIOwner(
      label: name, kind: .module, handle: handle, receiver: name.description, summary: summary,
      text: text, swift: nil, hidden: hidden, isLookup: false, groups: { [entries()] })
  }

  static func module(
    _ name: StaticString, _ summary: String, _ text: String = "",
    groups: @autoclosure @escaping @Sendable () -> [[APIEntry]]
  ) -> APIOwner {
    APIOwner(
      label: name, kind: .module, handle: nil, receiver: name.description, summary: summary,
      text: text, swift: nil, hidden: { [] }, isLookup: false, groups: groups)
  }

  static func object(
    _ handle: HandleKind, receiver: String, _ summary: String, _ text: String = "",
    swift: String? = nil, groups: @autoclosure @escaping @Sendable () -> [[APIEntry]],
    hidden: @autoclosure @escaping @Sendable () -> [APIEntry] = []
  ) -> APIOwner {
    APIOwner(
      label: nil, kind: .object, handle: handle, receiver: receiver, summary: summary, text: text,
      swift: swift, hidden: hidden, isLookup: false, groups: groups)
  }

  package static func object(
    _ handle: HandleKind, receiver: String, _ summary: String, _ text: String = "",
    swift: String? = nil, entries: @autoclosure @escaping @Sendable () -> [APIEntry],
    hidden: @autoclosure @escaping @Sendable () -> [APIEntry] = []
  ) -> APIOwner {
    APIOwner(
      label: nil, kind: .object, handle: handle, receiver: receiver, summary: summary, text: text,
      swift: swift, hidden: hidden, isLookup: false, groups: { [entries()] })
  }

  /// Creates the owner for a kind of objects whose members are found by their `__index`.
  static func object(
    _ handle: HandleKind, receiver: String, _ summary: String, _ text: String = "",
    swift: String? = nil, described entries: @autoclosure @escaping @Sendable () -> [APIEntry],
    lookup hidden: @autoclosure @escaping @Sendable () -> [APIEntry]
  ) -> APIOwner {
    APIOwner(
      label: nil, kind: .object, handle: handle, receiver: receiver, summary: summary, text: text,
      swift: swift, hidden: hidden, isLookup: true, groups: { [entries()] })
  }

  /// Creates the owner for an object type that is not one of the host's kinds.
  package static func object(
    _ name: StaticString, receiver: String, _ summary: String, _ text: String = "",
    swift: String? = nil, entries: @autoclosure @escaping @Sendable () -> [APIEntry]
  ) -> APIOwner {
    APIOwner(
      label: name, kind: .object, handle: nil, receiver: receiver, summary: summary, text: text,
      swift: swift, hidden: { [] }, isLookup: false, groups: { [entries()] })
  }

  /// Creates the owner for objects that scripts never see, because scripts get only functions bound
  /// to them.
  package static func unseen(
    _ handle: HandleKind, hidden: @autoclosure @escaping @Sendable () -> [APIEntry]
  ) -> APIOwner {
    APIOwner(
      label: nil, kind: .object, handle: handle, receiver: "", summary: "", text: "", swift: nil,
      hidden: hidden, isLookup: false, groups: { [] })
  }

  package static func table(
    _ name: StaticString, extending base: String? = nil, _ summary: String, _ text: String = "",
    swift: String? = nil, entries: @autoclosure @escaping @Sendable () -> [APIEntry]
  ) -> APIOwner {
    APIOwner(
      label: name, kind: .table, handle: nil, receiver: "", base: base, summary: summary,
      text: text, swift: swift, hidden: { [] }, isLookup: false, groups: { [entries()] })
  }

  static func words(
    _ name: StaticString, _ summary: String, _ text: String = "", swift: String? = nil,
    entries: @autoclosure @escaping @Sendable () -> [APIEntry]
  ) -> APIOwner {
    APIOwner(
      label: name, kind: .words, handle: nil, receiver: "", summary: summary, text: text,
      swift: swift, hidden: { [] }, isLookup: false, groups: { [entries()] })
  }

  static func alias(
    _ name: StaticString, _ type: String, _ summary: String, _ text: String = "",
    swift: String? = nil
  ) -> APIOwner {
    APIOwner(
      label: name, kind: .alias(type), handle: nil, receiver: "", summary: summary, text: text,
      swift: swift, hidden: { [] }, isLookup: false, groups: { [] })
  }
}
