import LullCore

/// The next hop of an exchange: where to, with what, and what the log says of it.
struct Redirect {
  let request: HTTPRequest
  let origin: Origin
  let message: String

  /// What has been set to have one to another origin refused; of no help where nobody has set it.
  static let refusalHint = " (redirects = \"same_origin\")"

  typealias Hiding = (HTTPRequest, Origin) throws(TransportError) -> HTTPRequest

  /// Reads `location` as an answer to `request`; fails after too many hops, or if it leads nowhere.
  ///
  /// - Parameter hiding: puts secrets out of sight, or fails since one would go where it must not.
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
          + "which is no http or https URL\(problem)")
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

  /// A URL without credentials, for people to read: a terminal gets nothing from it to obey.
  static func shown(_ text: String) -> String {
    var shown = ""
    for scalar in LogText.url(text).unicodeScalars {
      shown.unicodeScalars.append(scalar.properties.generalCategory == .control ? "?" : scalar)
    }
    // What nobody can read may hold them anywhere.
    guard LogText.userInfo(of: text) == nil, text.utf8.contains(UInt8(ascii: "@")) else {
      return shown
    }
    let head = String(text.prefix { $0 != "?" && $0 != "#" })
    return head.utf8.contains(UInt8(ascii: "@")) && ResourceURL(absolute: head) == nil
      ? "(a URL that cannot be read)" : shown
  }
}
