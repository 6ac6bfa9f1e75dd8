import LullClients
import LullHost

/// Where the rows of a call's answer are, as its API file says.
struct CallRows {
  private let call: String
  private let path: String

  /// nil of a call that says nothing.
  init?(_ call: APICall) {
    guard let path = call.rows else { return nil }
    self.call = call.name
    self.path = path
  }

  /// What the path leads to; an empty list where that is null.
  func of(_ content: JSONText) throws(ContentFilter.Problem) -> JSONText {
    // A name with dots, as it is, counts before names between dots.
    if content.kind == .object, let rows = content[path] { return CallRows.list(rows) }
    var current = content
    var way: [String] = []
    for name in path.split(separator: ".").map(String.init) {
      guard let next = current[name] else { throw missing(name, in: current, at: way) }
      current = next
      way.append(name)
    }
    return CallRows.list(current)
  }

  private static func list(_ rows: JSONText) -> JSONText {
    rows.isNull ? JSONText(valid: Array("[]".utf8)) : rows
  }

  /// Of an answer that is no JSON.
  var missingInText: ContentFilter.Problem {
    ContentFilter.Problem(
      report:
        "lull: the rows of call '\(call)' are at \(path), but the answer is text and no JSON\n")
  }

  private func missing(_ name: String, in content: JSONText, at way: [String])
    -> ContentFilter.Problem
  {
    let place = way.isEmpty ? "the answer" : "'\(way.joined(separator: "."))' of the answer"
    let names = content.members.map { "'\($0.key)'" }
    let known =
      switch content.kind {
      case .object where names.isEmpty: "it is empty"
      case .object:
        "it has \(names.prefix(20).joined(separator: ", "))" + (names.count > 20 ? " …" : "")
      case .array: "it is a list of \(content.lines.count)"
      default: "it is no object"
      }
    return ContentFilter.Problem(
      report: "lull: the rows of call '\(call)' are at \(path), but \(place) has no '\(name)': "
        + "\(known); -o json shows it whole\n")
  }
}
