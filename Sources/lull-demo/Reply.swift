import FlyingFox
import Foundation

/// Makes the answers, so that every route sets its headers in the same way.
enum Reply {
  /// FlyingFox writes a body in pieces of 4 KB unless told otherwise.
  static let pieceSize = 65_536

  static func json(
    _ json: JSON, status: Int = 200, headers: [(String, String)] = []
  ) -> HTTPResponse {
    data(json.data, type: "application/json", status: status, headers: headers)
  }

  static func data(
    _ data: Data, type: String, status: Int = 200, headers: [(String, String)] = []
  ) -> HTTPResponse {
    stream(
      HTTPBodySequence(data: data, suggestedBufferSize: pieceSize), type: type, status: status,
      headers: headers)
  }

  static func stream(
    _ body: HTTPBodySequence, type: String, status: Int = 200, headers: [(String, String)] = []
  ) -> HTTPResponse {
    var response = HTTPResponse(statusCode: StatusPhrase.status(status), body: body)
    response.headers[.contentType] = type
    for (name, value) in headers { response.headers[HTTPHeader(name)] = value }
    return response
  }

  static func empty(status: Int, headers: [(String, String)] = []) -> HTTPResponse {
    var response = HTTPResponse(statusCode: StatusPhrase.status(status))
    for (name, value) in headers { response.headers[HTTPHeader(name)] = value }
    return response
  }

  static func redirect(to location: String, status: Int = 302) -> HTTPResponse {
    json(["location": .string(location)], status: status, headers: [("Location", location)])
  }

  static func problem(_ problem: Problem) -> HTTPResponse {
    json(
      ["error": .string(problem.code), "message": .string(problem.message)],
      status: problem.status, headers: problem.headers)
  }
}
