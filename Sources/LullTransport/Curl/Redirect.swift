import LullCore

/// The next hop of an exchange: the request, its origin, and a message for the log.
struct Redirect {
  let request: HTTPRequest
  let origin: Origin
  let message: String

  /// The hint in messages that names the setting which rejects redirects to another origin. It is
  /// removed from messages for users who have not set it.
  static let refusalHint = " (redirects = \"same_origin\")"

  typealias Hiding = (HTTPRequest, Origin) throws(TransportError) -> HTTPRequest

  /// Interprets `location` in a response to `request`. Throws after too many hops, or if the target
  /// is invalid.
  ///
  /// - Parameter hiding: Masks secrets. Throws if a secret would be sent to an origin that the
  ///   secret is not bound to.
  init(
    status: Int, location: String, of request: HTTPRequest, from origin: Origin,
    afterHops hops: Int,
    hiding: Hiding? = nil
  ) throws(TransportError) {
    let limit = RedirectPolicy.limit(request.options?.redirects)
    guard hops < limit else {
      let count = limit == 1 ? "once" : limit == 0 ? "0 times" : "\(limit) times"
      throw TransportError(
        .tooManyRedirects, "\(origin.hostAndPort) redirected more than \(count)")
    }
    guard let current = ResourceURL(absolute: request.address),
      var target = current.relative(location), let targetOrigin = Origin(of: target.text)
    else {
      let problem = ResourceURL.hostProblem(in: location).map { ": \($0)" } ?? ""
      throw TransportError(
        .malformedResponse,
        "\(origin.hostAndPort) redirects to '\(Redirect.shown(location))', "
          + "which is not an http or https URL\(problem)")
    }
    let changesOrigin = targetOrigin != origin
    if changesOrigin, request.options?.redirects == .followWithinOrigin {
      throw TransportError(
        .redirectRefused,
        "\(origin.hostAndPort) redirects to another origin, \(targetOrigin.scheme)://"
          + "\(targetOrigin.hostAndPort), which is not followed" + Redirect.refusalHint)
    }
    if !changesOrigin { target = target.inheritingUser(of: current) }
    var (next, dropped) = RedirectPolicy.follow(
      request, status: status, to: target.percentEncoded, changesOrigin: changesOrigin)
    if let hiding { next = try hiding(next, targetOrigin) }
    self.request = next
    self.origin = targetOrigin
    var message =
      "redirect \(status) \(Redirect.shown(request.url)) -> \(Redirect.shown(next.url))"
    if next.method != request.method { message += " as \(next.method)" }
    if !dropped.isEmpty { message += " (other origin: dropped \(dropped.joined(separator: ", ")))" }
    self.message = message
  }

  /// Returns a URL for messages, without credentials. Control characters are replaced, because they
  /// could affect a terminal.
  static func shown(_ text: String) -> String {
    var shown = ""
    for scalar in LogText.url(text).unicodeScalars {
      shown.unicodeScalars.append(scalar.properties.generalCategory == .control ? "?" : scalar)
    }
    // A malformed URL may contain credentials anywhere.
    guard LogText.userInfo(of: text) == nil, text.utf8.contains(UInt8(ascii: "@")) else {
      return shown
    }
    let head = String(text.prefix { $0 != "?" && $0 != "#" })
    return head.utf8.contains(UInt8(ascii: "@")) && ResourceURL(absolute: head) == nil
      ? "(a URL that cannot be read)" : shown
  }
}
