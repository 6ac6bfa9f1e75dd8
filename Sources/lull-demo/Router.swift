import FlyingFox
import Foundation

/// Finds the route of a request and finishes its answer.
///
/// FlyingFox has routing of its own, but its 404 is empty, it knows no 405, and HEAD is to it a
/// method like any other; here all of that is in one place.
struct Router: HTTPHandler {
  let routes: [Route]
  let site: Site

  @concurrent
  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    // Whatever is left unread would be taken for the next request on the connection.
    let body = try await request.bodyData
    var response: HTTPResponse
    do {
      response = try await answer(request, body: body)
    } catch let problem as Problem {
      response = Reply.problem(problem)
    }
    response.headers[.date] = HTTPDate.string(from: HTTPDate.now)
    if request.headers[.connection]?.lowercased() == "close" {
      response.headers[.connection] = "close"
    }
    return request.method == .HEAD ? withoutBody(response) : response
  }

  private func answer(_ request: HTTPRequest, body: Data) async throws -> HTTPResponse {
    let method = request.method.rawValue
    let path = request.target.path()
    let segments = path.split(separator: "/").map { part in
      part.removingPercentEncoding.map { $0[...] } ?? part
    }
    var allowed: [String] = []
    for route in routes {
      guard let parameters = route.match(segments) else { continue }
      guard route.accepts(method) else {
        allowed += route.methods
        continue
      }
      let call = Call(
        method: method, path: path, parameters: parameters,
        query: Query(request.target.query()), headers: request.headers, body: body, site: site)
      return try await route.handler(call)
    }
    guard !allowed.isEmpty else {
      throw Problem.notFound("nothing is served at \(path); GET / lists the routes")
    }
    if allowed.contains("GET") { allowed.append("HEAD") }
    let allow = (allowed + ["OPTIONS"]).joined(separator: ", ")
    if method == "OPTIONS" { return Reply.empty(status: 204, headers: [("Allow", allow)]) }
    throw Problem.methodNotAllowed(method, allow: allow)
  }

  /// The answer to HEAD: what GET would say about the body, but not the body.
  private func withoutBody(_ response: HTTPResponse) -> HTTPResponse {
    guard case .httpBody(let body) = response.payload else { return response }
    var response = response
    if let count = body.count, response.headers[.contentLength] == nil {
      response.headers[.contentLength] = String(count)
    }
    response.payload = .httpBody(HTTPBodySequence())
    return response
  }
}
