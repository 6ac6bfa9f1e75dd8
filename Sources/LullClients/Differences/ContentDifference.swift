import LullCore
package import LullHost

/// What came, went and changed between two contents.
///
/// Records go field by field. Lists go element by element: by `id` where all have one and each is another
/// one, else as a whole; a list that is in an element of another one is a value. Texts go line by line. Order
/// counts in lists, and not in records.
package struct ContentDifference {
  /// Where a field is named, it is nil of what stands for itself: an element of the list, a line, the whole.
  package enum Entry {
    case added(field: String?, JSONText)
    case removed(field: String?, JSONText)
    case changed(field: String?, old: JSONText, new: JSONText)
    /// What is left of a list stands in another order.
    case reordered(field: String?)
    /// Of an element, by its id.
    case element(list: String?, id: JSONText, [Entry])
  }

  package private(set) var entries: [Entry] = []
  /// Whether entries are lines of a text.
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
    // What of them is the same one.
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

  /// What tells elements apart; nil if one of them has no `id` that does.
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
