import LullClients
import LullCore
import LullHost

/// The path of the rows in a response, from the API file's call or from `--rows`.
struct CallRows {
  /// The subject of error messages, such as "the rows of call 'list'".
  private let owner: String
  let path: String

  /// Creates the path from a call. The result is `nil` if the call does not name rows.
  init?(_ call: APICall) {
    guard let path = call.rows else { return nil }
    owner = "the rows of call '\(call.name)'"
    self.path = path
  }

  /// The rows that `--rows` names.
  init(path: String) {
    owner = "the rows (--rows)"
    self.path = path
  }

  /// Returns the rows at the path. If the value there is null, returns an empty list.
  ///
  /// - Parameter isLater: Whether `content` is not the first page. A later page may omit the rows.
  func of(_ content: JSONText, isLater: Bool = false) throws(ContentFilter.Problem) -> JSONText {
    // A key that contains dots takes precedence over nested keys.
    if content.kind == .object, let rows = content[path] { return CallRows.list(rows) }
    var current = content
    var way: [String] = []
    for name in path.split(separator: ".").map(String.init) {
      guard let next = current[name] else {
        // A later page without rows may omit the list. An error response, which lacks it too, has
        // already been rejected. (PAG-83)
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

  /// The error for a response that is text instead of JSON.
  var missingInText: ContentFilter.Problem {
    ContentFilter.Problem(
      report:
        "lull: \(owner) are at \(path), but the response is text, not JSON\n")
  }

  private func missing(_ name: String, in content: JSONText, at way: [String])
    -> ContentFilter.Problem
  {
    let place = way.isEmpty ? "the response" : "'\(way.joined(separator: "."))' of the response"
    let names = content.members.map { "'\($0.key)'" }
    let known =
      switch content.kind {
      case .object where names.isEmpty: "the object is empty"
      case .object:
        "the object has \(names.prefix(20).joined(separator: ", "))"
          + (names.count > 20 ? " …" : "")
      case .array: "the value is a list (length \(content.lines.count))"
      default: "the value is not an object"
      }
    return ContentFilter.Problem(
      report: "lull: \(owner) are at \(path), but \(place) has no '\(name)': "
        + "\(known); -o json shows the whole response\n")
  }
}
