public import LullCore

/// Networking that answers from a list, at once or when the test says so.
///
/// A request that nothing was stubbed for fails, naming it and the stubs there are, or `none`; neither retries
/// nor watches nor streams send it again. On the thread of the test only. (TEST-29, TEST-160)
public final class StubProvider: NetworkingProvider {
  /// What one request is answered with.
  public struct Answer: Sendable {
    /// The status of HTTP.
    public var status: Int
    /// What the answer is sent with, `Content-Type` too.
    public var headers: Headers
    /// nil for none at all.
    public var body: [UInt8]?
    /// In place of an answer: what went wrong on the way.
    public var error: TransportError?

    /// An answer with these very bytes.
    public static func bytes(
      _ bytes: [UInt8], type: String? = nil, status: Int = 200
    ) -> Answer {
      var answer = Answer(status: status, headers: type.map { [("Content-Type", $0)] } ?? [])
      answer.body = bytes
      return answer
    }

    /// An answer with a text, or an error in its place.
    public init(
      status: Int = 200, headers: [(String, String)] = [], body: String? = "",
      error: TransportError? = nil
    ) {
      self.status = status
      self.headers = Headers(headers)
      self.body = body.map { Array($0.utf8) }
      self.error = error
    }

    /// An answer of JSON, given as text.
    public static func json(_ text: String, status: Int = 200, etag: String? = nil) -> Answer {
      var headers = [("Content-Type", "application/json")]
      if let etag { headers.append(("ETag", etag)) }
      return Answer(status: status, headers: headers, body: text)
    }

    /// An answer of plain text.
    public static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Answer {
      Answer(headers: [("Content-Type", type)], body: text)
    }

    /// No answer, but an error of the network.
    public static func failure(_ error: TransportError) -> Answer {
      Answer(error: error)
    }
  }

  private var answers: [String: [Answer]] = [:]
  /// Every request started, in order.
  public private(set) var requests: [HTTPRequest] = []
  /// How many of them were cancelled.
  public private(set) var cancelledCount = 0
  /// What every transfer says of its progress.
  public var metrics = RequestTransferMetrics()
  /// Called inside `start`, before the answer is reported or held.
  public var onStart: ((HTTPRequest) -> Void)?
  /// While set, answers wait for `release`.
  public var holdsAnswers = false
  private var held: [HeldAnswer] = []
  private var heldTooLong: [HeldAnswer] = []

  private struct HeldAnswer {
    /// Which of the requests it is for.
    let number: Int
    let completion: NetworkCompletion
    let result: NetworkResult
  }

  /// Without any stubs.
  public init() {}

  /// The answers to a method and a whole URL, in turn; the last one stays. Takes the place of those that
  /// were given before.
  public func stub(_ method: RequestMethod, _ url: String, _ answers: Answer...) {
    stub(method, url, answers: answers)
  }

  /// The same with a list.
  public func stub(_ method: RequestMethod, _ url: String, answers: [Answer]) {
    self.answers["\(method) \(url)"] = answers
  }

  /// How many answers wait for `release`. Those of requests that have been cancelled do not. (TEST-28)
  public var heldCount: Int { held.count }

  /// Delivers the held answer at `index`, by default the oldest, of requests that have not been cancelled.
  public func release(_ index: Int = 0) {
    precondition(
      held.indices.contains(index), "there are \(held.count) answers held, and none at \(index)")
    let answer = held.remove(at: index)
    answer.completion(answer.result)
  }

  /// Delivers the oldest held answer of a request that was cancelled: it comes too late.
  package func releaseCancelled() {
    precondition(!heldTooLong.isEmpty, "no answer is held of a request that was cancelled")
    let answer = heldTooLong.removeFirst()
    answer.completion(answer.result)
  }

  private func cancel(_ number: Int) {
    cancelledCount += 1
    guard let index = held.firstIndex(where: { $0.number == number }) else { return }
    heldTooLong.append(held.remove(at: index))
  }

  /// Answers, or holds the answer.
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
      // A stub that is missing will be missing at the next attempt too.
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
