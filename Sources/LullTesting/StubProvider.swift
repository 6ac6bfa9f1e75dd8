public import LullCore

/// Networking that responds from a list of stubs, either immediately or when the test releases the
/// response.
///
/// A request without a stub fails. The error contains the request and lists the stubs, or `none`.
/// Retries, watches and streams don't repeat a request that failed in this way. Use the provider
/// only on the thread of the test. (TEST-29, TEST-160)
public final class StubProvider: NetworkingProvider {
  /// The response to one request.
  public struct Answer: Sendable {
    /// The HTTP status of the response.
    public var status: Int
    /// The headers of the response, including `Content-Type`.
    public var headers: Headers
    /// The body of the response; nil if it has no body.
    public var body: [UInt8]?
    /// The network error with which the request fails; nil if it receives a response.
    public var error: TransportError?

    /// Makes a response with these bytes as its body.
    public static func bytes(
      _ bytes: [UInt8], type: String? = nil, status: Int = 200
    ) -> Answer {
      var answer = Answer(status: status, headers: type.map { [("Content-Type", $0)] } ?? [])
      answer.body = bytes
      return answer
    }

    /// Makes a response with a text as its body, or a failure if `error` is given.
    public init(
      status: Int = 200, headers: [(String, String)] = [], body: String? = "",
      error: TransportError? = nil
    ) {
      self.status = status
      self.headers = Headers(headers)
      self.body = body.map { Array($0.utf8) }
      self.error = error
    }

    /// Makes a JSON response. `text` is the JSON text.
    public static func json(_ text: String, status: Int = 200, etag: String? = nil) -> Answer {
      var headers = [("Content-Type", "application/json")]
      if let etag { headers.append(("ETag", etag)) }
      return Answer(status: status, headers: headers, body: text)
    }

    /// Makes a plain text response.
    public static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Answer {
      Answer(headers: [("Content-Type", type)], body: text)
    }

    /// Makes a failure: the request fails with a network error instead of receiving a response.
    public static func failure(_ error: TransportError) -> Answer {
      Answer(error: error)
    }
  }

  private var answers: [String: [Answer]] = [:]
  /// All requests that have been started, in order.
  public private(set) var requests: [HTTPRequest] = []
  /// The number of requests that were cancelled.
  public private(set) var cancelledCount = 0
  /// The byte counts that every transfer reports.
  public var metrics = RequestTransferMetrics()
  /// Called inside `startRequest`, before the response is reported or held.
  public var onStart: ((HTTPRequest) -> Void)?
  /// Whether responses are held until `release` is called.
  public var holdsAnswers = false
  private var held: [HeldAnswer] = []
  private var heldTooLong: [HeldAnswer] = []

  private struct HeldAnswer {
    /// The number of the request, counted from the first request of the provider.
    let number: Int
    let completion: NetworkCompletion
    let result: NetworkResult
  }

  /// Makes a provider without stubs.
  public init() {}

  /// Sets the responses to requests with this method and URL. The first response is used for the
  /// first request, and so on. The last response is repeated. Earlier stubs for the same method and
  /// URL are replaced.
  public func stub(_ method: RequestMethod, _ url: String, _ answers: Answer...) {
    stub(method, url, answers: answers)
  }

  /// Sets the responses to requests with this method and URL from a list, like the variadic
  /// overload.
  public func stub(_ method: RequestMethod, _ url: String, answers: [Answer]) {
    self.answers["\(method) \(url)"] = answers
  }

  /// The number of held responses, excluding responses to cancelled requests. (TEST-28)
  public var heldCount: Int { held.count }

  /// Delivers the held response at `index`; by default, the oldest. Responses to cancelled requests
  /// are not counted in the index.
  public func release(_ index: Int = 0) {
    precondition(
      held.indices.contains(index), "\(held.count) responses are held, none at index \(index)")
    let answer = held.remove(at: index)
    answer.completion(answer.result)
  }

  /// Delivers the oldest held response to a cancelled request, to simulate a response that arrives
  /// too late.
  package func releaseCancelled() {
    precondition(!heldTooLong.isEmpty, "no response of a cancelled request is held")
    let answer = heldTooLong.removeFirst()
    answer.completion(answer.result)
  }

  private func cancel(_ number: Int) {
    cancelledCount += 1
    guard let index = held.firstIndex(where: { $0.number == number }) else { return }
    heldTooLong.append(held.remove(at: index))
  }

  /// Responds to the request immediately, or holds the response while `holdsAnswers` is true.
  public func startRequest(_ request: HTTPRequest, completion: NetworkCompletion)
    -> any RequestNetworking
  {
    requests.append(request)
    let number = requests.count
    onStart?(request)
    let result = result(for: request)
    if holdsAnswers {
      held.append(HeldAnswer(number: number, completion: completion, result: result))
    } else {
      completion(result)
    }
    return Transfer(provider: self, number: number)
  }

  private func result(for request: HTTPRequest) -> NetworkResult {
    let key = "\(request.method) \(request.url)"
    guard var list = answers[key], let answer = list.first else {
      let known = answers.isEmpty ? "none" : answers.keys.sorted().joined(separator: ", ")
      // A missing stub will be missing at the next attempt too.
      return NetworkResult(
        error: .final(.network, "unstubbed request \(key); available: \(known)"))
    }
    if list.count > 1 {
      list.removeFirst()
      answers[key] = list
    }
    if let error = answer.error { return NetworkResult(error: error) }
    return NetworkResult(
      response: HTTPResponse(status: answer.status, headers: answer.headers, url: request.url),
      body: answer.body)
  }

  private final class Transfer: RequestNetworking {
    private let provider: StubProvider
    private let number: Int

    init(provider: StubProvider, number: Int) {
      self.provider = provider
      self.number = number
    }

    var transferMetrics: RequestTransferMetrics { provider.metrics }

    func cancel() { provider.cancel(number) }
  }
}
