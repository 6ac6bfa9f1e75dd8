import FlyingFox
import Foundation

/// One request as a route sees it: the body read, the path taken apart.
struct Call: Sendable {
  let method: String
  /// As it was sent, escapes included.
  let path: String
  /// The parts of the path that the pattern names.
  let parameters: [String: String]
  let query: Query
  let headers: HTTPHeaders
  let body: Data
  let site: Site

  /// The origin as the client wrote it, so that the links we send stay on `localhost` for a client
  /// that said `localhost`.
  var origin: String {
    headers[.host].map { "http://\($0)" } ?? site.origin
  }

  /// A whole number in the path, within bounds.
  func intParameter(_ name: String, in range: ClosedRange<Int>) throws -> Int {
    let text = parameters[name] ?? ""
    guard let value = Int(text), range.contains(value) else {
      throw Problem.badRequest(
        "'\(text)' is not a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// The body as a JSON object: 415 when it is declared as something else, 400 when it is none.
  func jsonObject() throws -> JSON {
    let declared = headers[.contentType] ?? ""
    let type = declared.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    guard type == "application/json" || type.hasSuffix("+json") else {
      throw Problem.unsupportedMediaType(
        "send application/json, not \(type.isEmpty ? "a body without a Content-Type" : type)")
    }
    guard let json = JSON(parsing: body) else {
      throw Problem.badRequest("the body is not valid JSON")
    }
    guard case .object = json else {
      throw Problem.badRequest("the body must be a JSON object")
    }
    return json
  }
}
