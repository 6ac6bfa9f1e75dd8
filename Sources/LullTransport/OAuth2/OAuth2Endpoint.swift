import LullCore

/// The endpoints of an authorization server. Requests to the endpoints use the connection settings
/// of a request that waits for tokens.
struct OAuth2Endpoint {
  let settings: OAuth2.Settings
  let context: AuthContext
  private let waiting: HTTPRequest

  /// - Parameter waiting: The request that waits for tokens. Its connection settings and timeout
  ///   apply.
  init(_ settings: OAuth2.Settings, _ context: AuthContext, for waiting: HTTPRequest) {
    self.settings = settings
    self.context = context
    self.waiting = waiting
  }

  func post(
    _ pairs: [OAuth2Request.Pair], to url: String, _ take: @escaping (OAuth2Answer) -> Void
  ) {
    start(OAuth2Request(settings, pairs, to: url, for: waiting).http, to: url, take)
  }

  /// The result of a request that is recorded before it is sent.
  enum Sent {
    /// The request was not sent, because it could not be recorded.
    case refused(TokenFile.Problem)
    /// The request was not sent, because there was no connection.
    case unsent(OAuth2Answer)
    case answered(OAuth2Answer)

    /// Whether it is certain that the endpoint has issued no tokens, if none were received.
    var isCertain: Bool {
      if case .answered(let answer) = self { answer.isCertain } else { true }
    }
  }

  /// Sends a request after it has been recorded. Order of events: the connection is made, the
  /// request is recorded, and its body is sent. So a process that is killed before the record has
  /// not used up a token. (TOK-02)
  func send(
    _ request: OAuth2Request, to url: String, noting note: OAuth2Renewal.Note?,
    _ take: @escaping (Sent) -> Void
  ) {
    guard let note else {
      start(request.http, to: url) { take(.answered($0)) }
      return
    }
    // Other networks cannot delay the body, so the request is recorded before it is started.
    guard let provider = context.networking as? CurlProvider, provider.tap == nil else {
      return note { problem in
        if let problem { return take(.refused(problem)) }
        start(request.http, to: url) { take(.answered($0)) }
      }
    }
    let sending = NotedSending(take)
    let gate = SendGate { [pump = context.pump] gate in
      sending.isNoting = true
      // Nothing may be started inside curl.
      pump.enqueue { note { sending.noted($0, gate) } }
    }
    var http = request.http
    var options = http.options ?? TransferOptions()
    options.gate = gate
    http.options = options
    sending.transfer = start(http, to: url) { sending.ended($0, isSent: gate.isOpen) }
  }

  /// A request whose body is sent after the request was recorded.
  private final class NotedSending {
    var transfer: (any RequestNetworking)?
    var isNoting = false
    private var refusal: TokenFile.Problem?
    /// The response, if the request ended while it was being recorded. The response is delivered
    /// after that.
    private var answer: OAuth2Answer?
    private let take: (Sent) -> Void

    init(_ take: @escaping (Sent) -> Void) {
      self.take = take
    }

    func noted(_ problem: TokenFile.Problem?, _ gate: SendGate) {
      isNoting = false
      if let answer { return take(.unsent(answer)) }
      guard let problem else { return gate.open() }
      refusal = problem
      transfer?.cancel()
    }

    func ended(_ answer: OAuth2Answer, isSent: Bool) {
      transfer = nil
      if let refusal {
        take(.refused(refusal))
      } else if isNoting {
        self.answer = answer
      } else {
        take(isSent ? .answered(answer) : .unsent(answer))
      }
    }
  }

  @discardableResult
  private func start(
    _ http: HTTPRequest, to url: String, _ take: @escaping (OAuth2Answer) -> Void
  ) -> any RequestNetworking {
    let channel = context.pump.completion { [context] result in
      take(OAuth2Answer(result, from: url, hiding: OAuth2Endpoint.search(for: http, context)))
    }
    // The provider retains the transfer until it reports.
    return context.networking.startRequest(http, completion: channel)
  }

  /// Returns a search that finds the request's secrets in the response. Secrets whose texts are not
  /// available are omitted.
  private static func search(for request: HTTPRequest, _ context: AuthContext) -> SecretSearch {
    let coordinator = (context.networking as? CurlProvider)?.secrets
    let known = KnownSecret.all(of: request)
    return coordinator?.search(for: known) ?? SecretStore(pump: context.pump).search(for: known)
  }
}
