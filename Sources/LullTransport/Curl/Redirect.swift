import LullCore

/// The next hop of an exchange: where to, with what, and what the log says of it.
struct Redirect {
  let request: HTTPRequest
  let origin: Origin
  let message: String

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
    guard let current = CurlURL(request.address), let target = CurlURL(request.address),
      target.resolve(location), let targetOrigin = target.origin, target.text != nil
    else {
      throw TransportError(
        .malformedResponse,
        "\(origin.hostAndPort) redirects to '\(CurlURL.withoutCredentials(location))', "
          + "which is no http or https URL")
    }
    let changesOrigin = targetOrigin != origin
    if changesOrigin, request.options?.redirects == .followWithinOrigin {
      throw TransportError(
        .redirectRefused,
        "\(origin.hostAndPort) redirects to another origin, \(targetOrigin.scheme)://"
          + "\(targetOrigin.hostAndPort), which is not followed (redirects = \"same_origin\")")
    }
    if !changesOrigin { target.inheritCredentials(from: current) }
    var (next, dropped) = RedirectPolicy.follow(
      request, status: status, to: target.text ?? "", changesOrigin: changesOrigin)
    if let hiding { next = try hiding(next, targetOrigin) }
    self.request = next
    self.origin = targetOrigin
    var message =
      "redirect \(status) \(CurlURL.withoutCredentials(request.url))"
      + " -> \(CurlURL.withoutCredentials(next.url))"
    if next.method != request.method { message += " as \(next.method)" }
    if !dropped.isEmpty { message += " (other origin: dropped \(dropped.joined(separator: ", ")))" }
    self.message = message
  }
}
