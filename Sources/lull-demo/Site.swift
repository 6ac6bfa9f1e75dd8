/// Which of the two origins a request came in on.
///
/// Both serve the same routes from the same state; they differ only in their port. That is what
/// redirects to another origin need: credentials must not follow, and the target can show that.
struct Site: Sendable {
  let port: UInt16
  let otherPort: UInt16

  var origin: String { "http://127.0.0.1:\(port)" }
  var otherOrigin: String { "http://127.0.0.1:\(otherPort)" }
  var swapped: Site { Site(port: otherPort, otherPort: port) }
}

extension Site {
  private static let rule = HostRule(names: ["localhost", "127.0.0.1"])

  /// Why a request is rejected before its body is read: web pages of others must not read what other
  /// clients have sent.
  func objection(to head: RequestHead) -> Problem? {
    let hosts = head.values(of: "host")
    let all = hosts + (head.targetHost.map { [$0] } ?? [])
    switch Site.rule.objection(to: all, headers: hosts.count, isCurrent: head.isCurrent) {
    case .repeated: return .badRequest("the header Host is repeated")
    case .missing: return .badRequest("the header Host is missing")
    case .foreign(let host, _):
      return Problem(
        status: 421, code: "misdirected_request",
        message: "the request is for the host '\(host)', and this is \(origin)")
    case nil: break
    }
    guard head.values(of: "sec-fetch-site").contains(where: { HostRule.isFromOtherSite($0) }) else {
      return nil
    }
    return Problem(
      status: 403, code: "forbidden",
      message: "the request comes from a web page of another site (Sec-Fetch-Site: cross-site)")
  }
}
