/// What entries belong to: a table of functions, a class of objects, an options table, a set of
/// words, or a name for a type.
package struct APIOwner: Sendable {
  package enum Kind: Sendable {
    /// A table of functions and values: `lull`, `lull.json`.
    case module
    /// Objects, met as userdata.
    case object
    /// A table with named fields.
    case table
    /// Strings that stand for something.
    case words
    /// Another name for a LuaCATS type.
    case alias(String)
  }

  /// Nil: the name of the bridge's kind.
  let label: StaticString?
  package let kind: Kind
  /// The bridge's kind of the objects, if they are userdata.
  let handle: HandleKind?
  /// What such an object is called in the spelling of its members.
  package let receiver: String
  /// Of a table: the one whose fields it may have as well.
  package var base: String?
  package let summary: String
  package let text: String
  /// The Swift type.
  package let swift: String?
  /// Members that nothing describes.
  let hidden: @Sendable () -> [APIEntry]
  /// Whether entries have no functions of their own: the object looks its members up.
  let isLookup: Bool
  /// Its entries, as they are written: putting them together takes time, which a start has not.
  private(set) var groups: @Sendable () -> [[APIEntry]]

  /// Put together at each call.
  package var entries: [APIEntry] { Array(groups().joined()) }

  /// As types are named in signatures and in `tostring`; for a module, how Lua reaches it.
  package var name: String { label?.description ?? handle?.name ?? "" }

  /// The same with more members.
  func adding(_ more: [APIEntry]) -> APIOwner {
    var owner = self
    owner.groups = { [groups] in groups() + [more] }
    return owner
  }

  /// How a member is written in Lua: `resource:child(subpath)`.
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

  /// The names of the longest signature, with a mark on what may be left out: where another
  /// signature has only names of the longest, what it lacks may be.
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

  /// An object whose members are those that its `__index` finds.
  static func object(
    _ handle: HandleKind, receiver: String, _ summary: String, _ text: String = "",
    swift: String? = nil, described entries: @autoclosure @escaping @Sendable () -> [APIEntry],
    lookup hidden: @autoclosure @escaping @Sendable () -> [APIEntry]
  ) -> APIOwner {
    APIOwner(
      label: nil, kind: .object, handle: handle, receiver: receiver, summary: summary, text: text,
      swift: swift, hidden: hidden, isLookup: true, groups: { [entries()] })
  }

  /// Objects that are no kind of the host's.
  package static func object(
    _ name: StaticString, receiver: String, _ summary: String, _ text: String = "",
    swift: String? = nil, entries: @autoclosure @escaping @Sendable () -> [APIEntry]
  ) -> APIOwner {
    APIOwner(
      label: name, kind: .object, handle: nil, receiver: receiver, summary: summary, text: text,
      swift: swift, hidden: { [] }, isLookup: false, groups: { [entries()] })
  }

  /// Objects that scripts never see: their functions come bound to them, as arguments and results.
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
