import FlyingFox
import Foundation

/// Finds the route of a request and finishes its answer.
struct Router: Sendable {
  let routes: [Route]
  let site: Site

  @concurrent
  func response(to head: RequestHead, _ body: Data) async -> HTTPResponse {
    var response: HTTPResponse
    do {
      response = try await answer(head, body: body)
    } catch let problem as Problem {
      response = Reply.problem(problem)
    } catch {
      response = Reply.problem(
        Problem(status: 500, code: "internal_server_error", message: "the route failed: \(error)"))
    }
    response.headers[.date] = HTTPDate.string(from: HTTPDate.now)
    return head.method == "HEAD" ? withoutBody(response) : response
  }

  private func answer(_ head: RequestHead, body: Data) async throws -> HTTPResponse {
    let method = head.method
    let path = head.path
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
        query: Query(head.query), headers: head.headers, body: body, site: site)
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
