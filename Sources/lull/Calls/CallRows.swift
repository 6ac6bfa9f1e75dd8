import LullClients
import LullCore
import LullHost

/// Where the rows of an answer are, as the API file of a call says, or `--rows`.
struct CallRows {
  /// Their owner, in messages.
  private let owner: String
  let path: String

  /// nil of a call that says nothing.
  init?(_ call: APICall) {
    guard let path = call.rows else { return nil }
    owner = "the rows of call '\(call.name)'"
    self.path = path
  }

  /// As `--rows` says.
  init(path: String) {
    owner = "the rows (--rows)"
    self.path = path
  }

  /// What the path leads to; an empty list where that is null.
  ///
  /// - Parameter isLater: Whether other pages came before, the last of which may leave it out.
  func of(_ content: JSONText, isLater: Bool = false) throws(ContentFilter.Problem) -> JSONText {
    // A name with dots, as it is, counts before names between dots.
    if content.kind == .object, let rows = content[path] { return CallRows.list(rows) }
    var current = content
    var way: [String] = []
    for name in path.split(separator: ".").map(String.init) {
      guard let next = current[name] else {
        // A page without rows may leave the list out; an error that does has been refused. (PAG-83)
        if isLater, current.kind == .object { return JSONText(valid: Array("[]".utf8)) }
        throw missing(name, in: current, at: way)
      }
      current = next
      way.append(name)
    }
    return CallRows.list(current)
  }

  private static func list(_ rows: JSONText) -> JSONText {
    rows.isNull ? JSONText(valid: Array("[]".utf8)) : rows
  }

  /// Of an answer that is not JSON.
  var missingInText: ContentFilter.Problem {
    ContentFilter.Problem(
      report:
        "lull: \(owner) are at \(path), but the answer is text and no JSON\n")
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
      default: "it is not an object"
      }
    return ContentFilter.Problem(
      report: "lull: \(owner) are at \(path), but \(place) has no '\(name)': "
        + "\(known); -o json shows it whole\n")
  }
}
