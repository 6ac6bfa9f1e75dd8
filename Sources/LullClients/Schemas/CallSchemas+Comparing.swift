import LullCore
import LullHost
import LullSchemas

/// Provides the schemas of a call for the comparison of API files.
extension CallSchemas {
  /// The maximum length of a schema as shown in a comparison.
  private static let shownLength = 120

  /// Returns two forms of a call's schemas. The first is shortened for display. The second contains
  /// all bytes, including the definitions that the schemas refer to, so it differs if any schema
  /// differs. nil if the call has no schemas.
  package func fingerprint(ofCall name: String) -> (shown: String, whole: [UInt8])? {
    let own: CallSchema?
    do throws(APIFileProblem) {
      own = try calls.call(name)?.schema
    } catch {
      return ("\(error)", [])
    }
    do throws(SchemaProblem) {
      let entry = try openedFile()?.call(name)
      var parts: [JSONElement] = []
      var words: [String] = []
      switch own {
      case .document(let document)?:
        parts.append(document.root)
        words.append(CallSchemas.shown(document.root))
      case .definition(let definition)?:
        words.append("'\(definition)'")
        if let element = try openedFile()?.definition(definition) { parts.append(element) }
      case nil: break
      }
      if let entry {
        parts.append(entry)
        words.append(CallSchemas.shown(entry))
      }
      guard !words.isEmpty else { return nil }
      return (words.joined(separator: ", "), try whole(of: parts))
    } catch {
      return ("\(error)", [])
    }
  }

  private func whole(of parts: [JSONElement]) throws(SchemaProblem) -> [UInt8] {
    var bytes: [UInt8] = []
    var waiting = Array(parts.reversed())
    var seen: Set<Entry> = []
    let file = try openedFile()
    while let element = waiting.popLast() {
      bytes += CallSchemas.canonical(element) + [10]
      var references: [String] = []
      CallSchemas.findReferences(in: element, &references)
      for reference in references {
        // A reference to an anchor does not show where the anchor is, so it may be in any
        // definition.
        let entries =
          CallSchemas.entry(of: reference).map { [$0] }
          ?? file.map { $0.definitions.map { Entry(section: "$defs", name: $0) } } ?? []
        for entry in entries where seen.insert(entry).inserted {
          bytes += Array("\(entry.section)/\(entry.name)\n".utf8)
          if let target = try file?.entry(entry.name, in: entry.section) { waiting.append(target) }
        }
      }
    }
    return bytes
  }

  /// An entry in a section of the schemas file.
  private struct Entry: Hashable {
    let section: String
    let name: String
  }

  /// Returns the entry that a reference points to, or the entry that contains the reference's
  /// target. nil for a reference to an anchor.
  private static func entry(of reference: String) -> Entry? {
    guard reference.hasPrefix("#/") else { return nil }
    let names = reference.dropFirst(2).split(
      separator: "/", maxSplits: 2, omittingEmptySubsequences: false
    ).map { name in
      SchemaFragment.decoded(name).replacing("~1", with: "/").replacing("~0", with: "~")
    }
    return names.count > 1 ? Entry(section: names[0], name: names[1]) : nil
  }

  private static func findReferences(in element: JSONElement, _ references: inout [String]) {
    switch element.kind {
    case .object:
      for (key, value) in element.pairs {
        if ["$ref", "$dynamicRef"].contains(key), let text = value.string {
          references.append(text)
        }
        findReferences(in: value, &references)
      }
    case .array: for value in element.elements { findReferences(in: value, &references) }
    default: break
    }
  }

  private static func canonical(_ element: JSONElement) -> [UInt8] {
    var text: [UInt8] = []
    element.encode(into: &text)
    return CanonicalJSON(isExact: false).bytes(of: JSONText(valid: text))
  }

  /// Returns JSON with its members sorted by name, so that their original order does not matter.
  private static func shown(_ element: JSONElement) -> String {
    let text = (try? sorted(element).encode()) ?? []
    return LogText.part(String(decoding: text, as: UTF8.self), limit: shownLength)
  }

  private static func sorted(_ element: JSONElement) -> JSONValue {
    switch element.kind {
    case .object:
      .object(
        element.pairs.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
          .init($0.key, sorted($0.value))
        })
    case .array: .array(element.elements.map { sorted($0) })
    default: element.plainValue
    }
  }
}
