package import LullCore

/// Networking that answers from a list, at once or when the test says so.
///
/// An unstubbed request fails, naming it and the stubs there are.
package final class StubProvider: NetworkingProvider {
  package struct Answer {
    package var status: Int
    package var headers: Headers
    package var body: [UInt8]?
    package var error: TransportError?

    /// An answer with these very bytes.
    package static func bytes(
      _ bytes: [UInt8], type: String? = nil, status: Int = 200
    ) -> Answer {
      var answer = Answer(status: status, headers: type.map { [("Content-Type", $0)] } ?? [])
      answer.body = bytes
      return answer
    }

    package init(
      status: Int = 200, headers: [(String, String)] = [], body: String? = "",
      error: TransportError? = nil
    ) {
      self.status = status
      self.headers = Headers(headers)
      self.body = body.map { Array($0.utf8) }
      self.error = error
    }

    package static func json(_ text: String, status: Int = 200, etag: String? = nil) -> Answer {
      var headers = [("Content-Type", "application/json")]
      if let etag { headers.append(("ETag", etag)) }
      return Answer(status: status, headers: headers, body: text)
    }

    package static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Answer {
      Answer(headers: [("Content-Type", type)], body: text)
    }

    package static func failure(_ error: TransportError) -> Answer {
      Answer(error: error)
    }
  }

  private var answers: [String: [Answer]] = [:]
  /// Every request started, in order.
  package private(set) var requests: [HTTPRequest] = []
  package private(set) var cancelledCount = 0
  /// What every transfer says of its progress.
  package var metrics = TransferMetrics()
  /// Called inside `start`, before the answer is reported or held.
  package var onStart: ((HTTPRequest) -> Void)?
  /// While set, answers wait for `release`.
  package var holdsAnswers = false
  private var held: [(NetworkCompletion, NetworkResult)] = []

  package init() {}

  /// The answers to `GET /path`, in turn; the last one stays.
  package func stub(_ method: String, _ url: String, _ answers: Answer...) {
    stub(method, url, answers: answers)
  }

  package func stub(_ method: String, _ url: String, answers: [Answer]) {
    self.answers["\(method) \(url)"] = answers
  }

  package var heldCount: Int { held.count }

  /// Delivers the held answer at `index`, by default the oldest.
  package func release(_ index: Int = 0) {
    let (completion, result) = held.remove(at: index)
    completion(result)
  }

  package func start(_ request: HTTPRequest, completion: NetworkCompletion)
    -> any NetworkTransfer
  {
    requests.append(request)
    onStart?(request)
    let result = result(for: request)
    if holdsAnswers {
      held.append((completion, result))
    } else {
      completion(result)
    }
    return Transfer(provider: self)
  }

  private func result(for request: HTTPRequest) -> NetworkResult {
    let key = "\(request.method) \(request.url)"
    guard var list = answers[key], let answer = list.first else {
      let known = answers.keys.sorted().joined(separator: ", ")
      return NetworkResult(
        error: TransportError(.network, "unstubbed request \(key); available: \(known)"))
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

  private final class Transfer: NetworkTransfer {
    private let provider: StubProvider
    init(provider: StubProvider) {
      self.provider = provider
    }

    var metrics: TransferMetrics { provider.metrics }

    func cancel() { provider.cancelledCount += 1 }
  }
}
