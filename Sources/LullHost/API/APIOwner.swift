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

  /// As types are named in signatures and in `tostring`; for a module, how Lua reaches it.
  package let name: String
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
  package private(set) var entries: [APIEntry]

  /// The same with more members.
  func adding(_ more: [APIEntry]) -> APIOwner {
    var owner = self
    owner.entries += more
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
    _ name: String, handle: HandleKind? = nil, _ summary: String, _ text: String = "",
    entries: [APIEntry]
  ) -> APIOwner {
    APIOwner(
      name: name, kind: .module, handle: handle, receiver: name, summary: summary, text: text,
      swift: nil, entries: entries)
  }

  package static func object(
    _ handle: HandleKind, receiver: String, _ summary: String, _ text: String = "",
    swift: String? = nil, entries: [APIEntry]
  ) -> APIOwner {
    APIOwner(
      name: handle.name, kind: .object, handle: handle, receiver: receiver, summary: summary,
      text: text, swift: swift, entries: entries)
  }

  /// Objects that are no kind of the host's.
  package static func object(
    _ name: String, receiver: String, _ summary: String, _ text: String = "",
    swift: String? = nil, entries: [APIEntry]
  ) -> APIOwner {
    APIOwner(
      name: name, kind: .object, handle: nil, receiver: receiver, summary: summary, text: text,
      swift: swift, entries: entries)
  }

  package static func table(
    _ name: String, extending base: String? = nil, _ summary: String, _ text: String = "",
    swift: String? = nil, entries: [APIEntry]
  ) -> APIOwner {
    APIOwner(
      name: name, kind: .table, handle: nil, receiver: "", base: base, summary: summary,
      text: text, swift: swift, entries: entries)
  }

  static func words(
    _ name: String, _ summary: String, _ text: String = "", swift: String? = nil,
    entries: [APIEntry]
  ) -> APIOwner {
    APIOwner(
      name: name, kind: .words, handle: nil, receiver: "", summary: summary, text: text,
      swift: swift, entries: entries)
  }

  static func alias(
    _ name: String, _ type: String, _ summary: String, _ text: String = "", swift: String? = nil
  ) -> APIOwner {
    APIOwner(
      name: name, kind: .alias(type), handle: nil, receiver: "", summary: summary, text: text,
      swift: swift, entries: [])
  }
}
