import LullClients
import LullCore

/// What browsers ask and are told for web pages of other origins. (Fetch, section 3.2)
enum CrossOrigin {
  static func isPreflight(_ request: MockRequest) -> Bool {
    request.method == "OPTIONS" && request.header("access-control-request-method") != nil
  }

  /// Yes to what the page wants to ask: that there is no such call it is to hear from the answer itself.
  static func preflight(_ request: MockRequest, _ permission: MockSite.Permission) -> MockAnswer {
    var answer = MockAnswer(status: 204)
    permit(permission, &answer)
    answer.headers["access-control-allow-methods"] =
      request.header("access-control-request-method")
    if let names = request.header("access-control-request-headers") {
      answer.headers["access-control-allow-headers"] = names
    }
    if request.header("access-control-request-private-network") == "true" {
      answer.headers["access-control-allow-private-network"] = "true"
    }
    answer.headers["access-control-max-age"] = "600"
    return answer
  }

  /// Lets the page read all of an answer.
  static func permit(_ permission: MockSite.Permission, _ answer: inout MockAnswer) {
    let names = Set(answer.headers.pairs.map { $0.name.lowercased() }).sorted()
    answer.headers["access-control-allow-origin"] = permission.origin
    if !names.isEmpty {
      answer.headers["access-control-expose-headers"] = names.joined(separator: ", ")
    }
    guard !permission.isForAll else { return }
    // Credentials are for those that are named.
    answer.headers["access-control-allow-credentials"] = "true"
    answer.headers.add("vary", "Origin")
  }
}
