import LullCore

/// Describes a request in the report of an error.
struct RequestFacts: Equatable {
  /// The method and URL, or another name of the request.
  var name: String
  var status: Int?
  /// The number of the attempt, which is 1 unless the request is a retry.
  var attempt = 1
  /// The number of times that the request was sent, as counted by policies.
  var sentCount = 0
  var stage: String?

  var text: String {
    var text = name
    if let status { text += " → \(status)" }
    if attempt > 1 { text += ", attempt \(attempt)" }
    if sentCount > 1 { text += ", sent \(sentCount) times" }
    if let stage { text += ", stage \(stage)" }
    return text
  }
}

extension RequestFacts {
  init(_ request: Request) {
    let error = request.response?.error
    self.init(
      name: request.displayName,
      status: error?.httpStatusCode ?? request.response?.entity?.exchange?.status,
      attempt: request.attempt, sentCount: request.attempts.count)
  }

  /// Describes a request whose response is in the pipeline.
  init(_ run: PipelineRun) {
    self.init(
      name: run.request.displayName, status: run.original.status, attempt: run.request.attempt,
      sentCount: run.request.attempts.count, stage: run.stage?.description)
  }

  init(_ http: HTTPRequest, attempt: Int = 1) {
    self.init(name: "\(http.method) \(LogText.url(http.url))", attempt: attempt)
  }

  /// Describes a cache lookup.
  init(cacheOf resource: Resource, _ stage: PipelineStageKey) {
    self.init(name: resource.readName, stage: stage.description)
  }

  /// Describes the request that led to an error. Returns nil if the error has no request.
  init?(_ error: RequestError) {
    guard let url = error.url else { return nil }
    var stage: String?
    if case .script(let script) = error.cause { stage = script.stage }
    self.init(
      name: [error.method?.rawValue, LogText.url(url)].compactMap(\.self).joined(separator: " "),
      status: error.httpStatusCode, attempt: error.attempt, sentCount: error.attempts.count,
      stage: stage)
  }
}

extension Response {
  fileprivate var status: Int? {
    switch outcome {
    case .success(let entity): entity.exchange?.status
    case .failure(let error): error.httpStatusCode
    }
  }
}
