/// The owner of entries: a table of functions, a class of objects, a table of options, a set of
/// words, or a type alias.
package struct APIOwner: Sendable {
  package enum Kind: Sendable {
    /// A table of functions and values: `lull`, `lull.json`.
    case module
    /// Objects that are userdata.
    case object
    /// A table with named fields.
    case table
    /// String constants.
    case words
    /// An alias for a LuaCATS type.
    case alias(String)
  }

  /// nil to use the name of the bridge's kind.
  let label: StaticString?
  package let kind: Kind
  /// The bridge's kind, if the objects are userdata.
  let handle: HandleKind?
  /// The name of the object in the spelling of its members.
  package let receiver: String
  /// For a table: another table whose fields it may also have.
  package var base: String?
  package let summary: String
  package let text: String
  /// The Swift type.
  package let swift: String?
  /// The undocumented members.
  let hidden: @Sendable () -> [APIEntry]
  /// Whether the entries have no implementation, because the object looks its members up.
  let isLookup: Bool
  /// The entries as written. Creating them takes time, so it is not done at startup.
  private(set) var groups: @Sendable () -> [[APIEntry]]

  /// All entries, created at each call.
  package var entries: [APIEntry] { Array(groups().joined()) }

  /// The name of the type in signatures and in `tostring`; for a module, its Lua path.
  package var name: String { label?.description ?? handle?.name ?? "" }

  /// Returns a copy with more members.
  func adding(_ more: [APIEntry]) -> APIOwner {
    var owner = self
    owner.groups = { [groups] in groups() + [more] }
    return owner
  }

  /// Returns the spelling of a member in Lua: `resource:child(subpath)`.
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

  /// Returns the parameter names of the longest signature, with optional ones marked: those missing
  /// in a shorter signature that has no other names.
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

  /// Creates an object whose members are found by its `__index`.
  static func object(
    _ handle: HandleKind, receiver: String, _ summary: String, _ text: String = "",
    swift: String? = nil, described entries: @autoclosure @escaping @Sendable () -> [APIEntry],
    lookup hidden: @autoclosure @escaping @Sendable () -> [APIEntry]
  ) -> APIOwner {
    APIOwner(
      label: nil, kind: .object, handle: handle, receiver: receiver, summary: summary, text: text,
      swift: swift, hidden: hidden, isLookup: true, groups: { [entries()] })
  }

  /// Creates an object type that is not one of the host's kinds.
  package static func object(
    _ name: StaticString, receiver: String, _ summary: String, _ text: String = "",
    swift: String? = nil, entries: @autoclosure @escaping @Sendable () -> [APIEntry]
  ) -> APIOwner {
    APIOwner(
      label: name, kind: .object, handle: nil, receiver: receiver, summary: summary, text: text,
      swift: swift, hidden: { [] }, isLookup: false, groups: { [entries()] })
  }

  /// Creates an object type that scripts never see, because they get only functions bound to its
  /// objects.
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
