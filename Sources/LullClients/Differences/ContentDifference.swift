import LullCore
package import LullHost

/// The additions, removals and changes between two contents.
///
/// Objects are compared by field. Lists are compared by element. Elements are identified by their
/// `id` if every element has a unique `id`, otherwise by their whole value. A list nested in a list
/// element is compared as one value. Texts are compared by line. Order matters in lists, but not in
/// objects.
package struct ContentDifference {
  /// One difference. If the field of the difference is nil, it applies to an element of the list,
  /// to a line, or to the whole content.
  package enum Entry {
    case added(field: String?, JSONText)
    case removed(field: String?, JSONText)
    case changed(field: String?, old: JSONText, new: JSONText)
    /// The elements that are in both lists are in a different order.
    case reordered(field: String?)
    /// The changes to a list element, which is identified by its ID.
    case element(list: String?, id: JSONText, [Entry])
  }

  package private(set) var entries: [Entry] = []
  /// Whether the entries are lines of a text.
  package private(set) var isOfText = false
  package var isEmpty: Bool { entries.isEmpty }
  private let forms: CanonicalJSON

  package init(_ old: ComparedContent, _ new: ComparedContent) {
    if case .json(_, let one) = old, case .json(_, let other) = new {
      forms = CanonicalJSON(isExact: one && other)
    } else {
      forms = CanonicalJSON(isExact: true)
    }
    switch (old, new) {
    case (.json(let old, _), .json(let new, _)):
      entries = compare(old, new, at: nil, isElement: false)
    case (.text(let old), .text(let new)):
      isOfText = true
      entries = LineDifference(Array(old.utf8), Array(new.utf8)).lines.map { line in
        let text = JSONText(text: String(decoding: line.text, as: UTF8.self))
        return line.isNew ? .added(field: nil, text) : .removed(field: nil, text)
      }
    case (.bytes(let count, let digest), .bytes(let other, let otherDigest))
    where count == other && digest == otherDigest: break
    default: entries = [.changed(field: nil, old: old.described, new: new.described)]
    }
  }

  private func compare(
    _ old: JSONText, _ new: JSONText, at field: String?, isElement: Bool
  ) -> [Entry] {
    guard forms.bytes(of: old) != forms.bytes(of: new) else { return [] }
    switch (old.kind, new.kind) {
    case (.object, .object): return compare(records: old, new, at: field, isElement: isElement)
    case (.array, .array) where !isElement: return compare(lists: old, new, at: field)
    default: return [.changed(field: field, old: old, new: new)]
    }
  }

  private func compare(
    records old: JSONText, _ new: JSONText, at field: String?, isElement: Bool
  ) -> [Entry] {
    let before = Dictionary(old.members.map { ($0.key, $0.value) }) { $1 }
    let after = Dictionary(new.members.map { ($0.key, $0.value) }) { $1 }
    func name(_ key: String) -> String { field.map { "\($0).\(key)" } ?? key }
    var seen: Set<String> = []
    var entries: [Entry] = []
    for (key, _) in old.members where after[key] == nil && seen.insert(key).inserted {
      before[key].map { entries.append(.removed(field: name(key), $0)) }
    }
    seen = []
    for (key, _) in new.members where seen.insert(key).inserted {
      guard let value = after[key] else { continue }
      if let known = before[key] {
        entries += compare(known, value, at: name(key), isElement: isElement)
      } else {
        entries.append(.added(field: name(key), value))
      }
    }
    return entries
  }

  // MARK: Lists

  private func compare(lists old: JSONText, _ new: JSONText, at field: String?) -> [Entry] {
    let (before, after) = (old.lines, new.lines)
    let wholes = (old: before.map(forms.bytes), new: after.map(forms.bytes))
    let names = (ids(of: before), ids(of: after))
    let place = field.map { "\($0)[]" }
    // The keys by which elements of both lists are matched.
    let keys: (old: [[UInt8]], new: [[UInt8]])
    if let old = names.0, let new = names.1 { keys = (old, new) } else { keys = wholes }
    var left = Dictionary(keys.new.map { ($0, 1) }, uniquingKeysWith: +)
    var kept: (old: [[UInt8]], new: [[UInt8]]) = ([], [])
    var entries: [Entry] = []
    for (key, element) in zip(keys.old, before) {
      if ContentDifference.take(key, from: &left) {
        kept.old.append(key)
      } else {
        entries.append(.removed(field: place, element))
      }
    }
    left = Dictionary(keys.old.map { ($0, 1) }, uniquingKeysWith: +)
    let places = Dictionary(zip(keys.old, before.indices)) { first, _ in first }
    for (index, key) in keys.new.enumerated() {
      guard ContentDifference.take(key, from: &left), let known = places[key] else {
        entries.append(.added(field: place, after[index]))
        continue
      }
      kept.new.append(key)
      guard wholes.old[known] != wholes.new[index], let id = after[index]["id"] else { continue }
      let fields = compare(before[known], after[index], at: nil, isElement: true)
      if !fields.isEmpty { entries.append(.element(list: field, id: id, fields)) }
    }
    if kept.old != kept.new { entries.append(.reordered(field: field)) }
    return entries
  }

  private static func take(_ key: [UInt8], from counts: inout [[UInt8]: Int]) -> Bool {
    guard let count = counts[key], count > 0 else { return false }
    counts[key] = count - 1
    return true
  }

  /// Returns the IDs of the elements. nil unless every element has a unique `id`.
  private func ids(of elements: [JSONText]) -> [[UInt8]]? {
    var ids: [[UInt8]] = []
    for element in elements {
      guard element.kind == .object, let id = element["id"],
        id.kind == .number || id.kind == .string
      else { return nil }
      ids.append(forms.bytes(of: id))
    }
    return Set(ids).count == ids.count ? ids : nil
  }
}

/// Writes differences as lines for display, or as JSON.
extension ContentDifference {
  package enum Kind {
    case added, removed, changed
  }

  /// Returns one line for each entry, without a line break.
  ///
  /// - Parameter painted: Colours a line according to its kind.
  package func text(_ painted: (String, Kind) -> String) -> [String] {
    entries.map { entry in
      switch entry {
      case .added(let field, let value):
        painted("+ \(named(field))\(shown(value))", .added)
      case .removed(let field, let value):
        painted("- \(named(field))\(shown(value))", .removed)
      case .changed(let field, let old, let new):
        painted("~ \(named(field))\(old.shown) → \(new.shown)", .changed)
      case .reordered(let field): painted("~ \(named(field))the order", .changed)
      case .element(let list, let id, let fields):
        painted(
          "~ \(list.map { "\($0) " } ?? "")id \(id.shown): "
            + fields.map(ContentDifference.short).joined(separator: ", "), .changed)
      }
    }
  }

  private func named(_ field: String?) -> String { field.map { "\($0): " } ?? "" }

  /// Returns a value for display. A line of a text is shown unchanged. If its line break is
  /// missing, that is mentioned.
  private func shown(_ value: JSONText) -> String {
    guard isOfText, let line = value.string else { return value.shown }
    return line.utf8.last == 10
      ? String(decoding: line.utf8.dropLast(), as: UTF8.self) : line + " (no end of line)"
  }

  /// Returns the short form of a change in a list element's field.
  private static func short(_ entry: Entry) -> String {
    switch entry {
    case .added(let field, let value): "+ \(field ?? "") \(value.shown)"
    case .removed(let field, let value): "- \(field ?? "") \(value.shown)"
    case .changed(let field, let old, let new): "\(field ?? "") \(old.shown) → \(new.shown)"
    case .reordered(let field), .element(let field, _, _): field ?? ""
    }
  }

  /// The differences as a JSON object with the members `added`, `removed` and `changed`, and
  /// `reordered` if the order has changed.
  package var json: [UInt8] {
    var (added, removed, changed): ([[UInt8]], [[UInt8]], [[UInt8]]) = ([], [], [])
    var isReordered = false
    for entry in entries {
      switch entry {
      case .added(let field, let value): added.append(ContentDifference.item(field, value))
      case .removed(let field, let value): removed.append(ContentDifference.item(field, value))
      case .changed(let field, let old, let new):
        changed.append(
          ContentDifference.object(
            ContentDifference.name(field) + [("old", old.compact), ("new", new.compact)]))
      case .reordered(let field):
        isReordered = true
        if let field {
          changed.append(
            ContentDifference.object(
              ContentDifference.name(field) + [("reordered", Array("true".utf8))]))
        }
      case .element(let list, let id, let fields):
        changed.append(
          ContentDifference.object(
            ContentDifference.name(list) + [
              ("id", id.compact), ("fields", ContentDifference.fields(fields)),
            ]))
      }
    }
    var members = [("added", added), ("removed", removed), ("changed", changed)].map {
      ($0.0, ContentDifference.list($0.1))
    }
    if isReordered { members.append(("reordered", Array("true".utf8))) }
    return ContentDifference.object(members)
  }

  private static func name(_ field: String?) -> [(String, [UInt8])] {
    field.map { [("field", JSONText(text: $0).bytes)] } ?? []
  }

  private static func item(_ field: String?, _ value: JSONText) -> [UInt8] {
    field == nil ? value.compact : object(name(field) + [("value", value.compact)])
  }

  private static func fields(_ entries: [Entry]) -> [UInt8] {
    object(
      entries.map { entry in
        switch entry {
        case .added(let field, let value): (field ?? "", object([("new", value.compact)]))
        case .removed(let field, let value): (field ?? "", object([("old", value.compact)]))
        case .changed(let field, let old, let new):
          (field ?? "", object([("old", old.compact), ("new", new.compact)]))
        case .reordered(let field), .element(let field, _, _): (field ?? "", Array("{}".utf8))
        }
      })
  }

  private static func list(_ items: [[UInt8]]) -> [UInt8] {
    Array("[".utf8) + Array(items.joined(separator: ",".utf8)) + Array("]".utf8)
  }

  private static func object(_ members: [(String, [UInt8])]) -> [UInt8] {
    let parts = members.map { JSONText(text: $0.0).bytes + Array(":".utf8) + $0.1 }
    return Array("{".utf8) + Array(parts.joined(separator: ",".utf8)) + Array("}".utf8)
  }
}

extension JSONText {
  fileprivate var compact: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  /// The value as JSON on one line. A string has quotes.
  fileprivate var shown: String { String(decoding: compact, as: UTF8.self) }
}

/// The content of a response for comparison.
package enum ComparedContent {
  /// - Parameter isExact: Whether the numbers have the digits that the server sent.
  case json(JSONText, isExact: Bool)
  case text(String)
  /// Content that is neither JSON nor text. It is compared by its digest.
  case bytes(count: Int, digest: String)

  /// The content, or a description of it, as a JSON value.
  package var described: JSONText {
    switch self {
    case .json(let json, _): json
    case .text(let text): JSONText(text: text)
    case .bytes(let count, let digest):
      JSONText(text: "\(count) bytes, SHA-256 \(digest.prefix(16))")
    }
  }
}

extension JSONText {
  /// Creates a JSON string from a text.
  package init(text: String) {
    var bytes: [UInt8] = []
    CallValue.string(text).write(to: &bytes)
    self.init(valid: bytes)
  }
}
