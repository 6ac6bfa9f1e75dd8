/// A refusal that a route throws; the router turns it into a JSON answer.
///
/// Every error of this server has the same shape, `{"error": …, "message": …}`, so that a client's
/// error handling can be tried against any route.
struct Problem: Error {
  let status: Int
  let code: String
  let message: String
  var headers: [(String, String)] = []

  static func badRequest(_ message: String) -> Problem {
    Problem(status: 400, code: "bad_request", message: message)
  }

  static func unauthorized(_ message: String) -> Problem {
    Problem(
      status: 401, code: "unauthorized", message: message,
      headers: [("WWW-Authenticate", "Bearer realm=\"lull-demo\"")])
  }

  static func notFound(_ message: String) -> Problem {
    Problem(status: 404, code: "not_found", message: message)
  }

  static func methodNotAllowed(_ method: String, allow: String) -> Problem {
    Problem(
      status: 405, code: "method_not_allowed",
      message: "\(method) is not possible here, only \(allow)", headers: [("Allow", allow)])
  }

  static func unsupportedMediaType(_ message: String) -> Problem {
    Problem(status: 415, code: "unsupported_media_type", message: message)
  }
}
