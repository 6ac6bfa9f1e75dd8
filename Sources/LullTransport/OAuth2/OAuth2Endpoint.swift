import LullCore

/// The endpoints of an authorization server, as somebody reaches them who waits for tokens.
struct OAuth2Endpoint {
  let settings: OAuth2.Settings
  let context: AuthContext
  private let waiting: HTTPRequest

  /// - Parameter waiting: by whose way, and in whose time.
  init(_ settings: OAuth2.Settings, _ context: AuthContext, for waiting: HTTPRequest) {
    self.settings = settings
    self.context = context
    self.waiting = waiting
  }

  func post(
    _ pairs: [OAuth2Request.Pair], to url: String, _ take: @escaping (OAuth2Answer) -> Void
  ) {
    send(OAuth2Request(settings, pairs, to: url, for: waiting), to: url, take)
  }

  func send(
    _ request: OAuth2Request, to url: String, _ take: @escaping (OAuth2Answer) -> Void
  ) {
    let channel = context.pump.completion { [context] result in
      take(
        OAuth2Answer(result, from: url, hiding: OAuth2Endpoint.search(for: request.http, context)))
    }
    // The provider holds it until it reports.
    _ = context.networking.startRequest(request.http, completion: channel)
  }

  /// What finds the secrets of a request in its answer, as far as their texts were there.
  private static func search(for request: HTTPRequest, _ context: AuthContext) -> SecretSearch {
    let desk = (context.networking as? CurlProvider)?.secrets
    let known = KnownSecret.all(of: request)
    return desk?.search(for: known) ?? SecretStore(pump: context.pump).search(for: known)
  }
}
