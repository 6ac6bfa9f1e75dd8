import LullCore
import LullHost

/// How differences are written: in lines for people, or as JSON.
extension ContentDifference {
  package enum Kind {
    case added, removed, changed
  }

  /// A line each, without its end.
  ///
  /// - Parameter painted: gives a line the colour of its kind.
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

  /// Lines of a text are as they are; that the last one has no end is said where it matters.
  private func shown(_ value: JSONText) -> String {
    guard isOfText, let line = value.string else { return value.shown }
    return line.utf8.last == 10
      ? String(decoding: line.utf8.dropLast(), as: UTF8.self) : line + " (no end of line)"
  }

  /// What has become of a field of an element.
  private static func short(_ entry: Entry) -> String {
    switch entry {
    case .added(let field, let value): "+ \(field ?? "") \(value.shown)"
    case .removed(let field, let value): "- \(field ?? "") \(value.shown)"
    case .changed(let field, let old, let new): "\(field ?? "") \(old.shown) → \(new.shown)"
    case .reordered(let field), .element(let field, _, _): field ?? ""
    }
  }

  /// An object with `added`, `removed` and `changed`, and `reordered` if something is.
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

  /// On one line, with quotes.
  fileprivate var shown: String { String(decoding: compact, as: UTF8.self) }
}
