import LullCore
import LullHost
import LullSchemas

/// What is said of a call, as comparisons of API files tell it.
extension CallSchemas {
  /// How much is shown of what stands in a file.
  private static let shownLength = 120

  /// What the schemas say of a call, cut short, and all of it with the definitions that it refers to: other bytes
  /// where they say something else. nil if that is nothing.
  package func wording(ofCall name: String) -> (shown: String, whole: [UInt8])? {
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
    var seen: Set<String> = []
    while let element = waiting.popLast() {
      bytes += CallSchemas.canonical(element) + [10]
      var names: [String] = []
      CallSchemas.findReferences(in: element, &names)
      for name in names where seen.insert(name).inserted {
        bytes += Array(name.utf8) + [10]
        if let definition = try openedFile()?.definition(name) { waiting.append(definition) }
      }
    }
    return bytes
  }

  /// The names of definitions of the file.
  private static func findReferences(in element: JSONElement, _ names: inout [String]) {
    switch element.kind {
    case .object:
      for (key, value) in element.pairs {
        if key == "$ref", let text = value.string, text.hasPrefix("#/$defs/") {
          names.append(String(text.dropFirst(8)))
        }
        findReferences(in: value, &names)
      }
    case .array: for value in element.elements { findReferences(in: value, &names) }
    default: break
    }
  }

  private static func canonical(_ element: JSONElement) -> [UInt8] {
    var text: [UInt8] = []
    element.encode(into: &text)
    return CanonicalJSON(isExact: false).bytes(of: JSONText(valid: text))
  }

  private static func shown(_ element: JSONElement) -> String {
    var text: [UInt8] = []
    element.encode(into: &text)
    return LogText.part(String(decoding: text, as: UTF8.self), limit: shownLength)
  }
}
