/// The processing of one response by the steps of a pipeline, in order, one step at a time.
/// (PIPE-16)
///
/// A step may wait: the run then pauses until `resume(with:)` is called. If the request is
/// cancelled, the result is discarded (CXL-09). Home thread only.
public final class PipelineRun {
  /// The request that received the response.
  package let request: Request
  /// The method of the request, which decides whether an empty body is valid (REQ-04).
  package let method: RequestMethod
  /// The response before the first step. If a step fails, the error contains its status and raw
  /// entity (TRF-16).
  package let original: Response
  package let now: Double

  /// Whether the response is from a cache.
  private let isHit: Bool
  private let steps: [PipelineStep]
  private let marks: [Int]
  private var next = 0
  private var nextMark = 0
  /// The recorded entities: for each mark that the run has passed, in ascending order, the entity
  /// after that number of steps. Only successes are recorded. (CACHE-14 to CACHE-17)
  package private(set) var outputs: [(mark: Int, entity: Entity)] = []
  private var isStarted = false
  private var isOver = false
  private let finish: (Response) -> Void

  /// - Parameters:
  ///   - skipping: The number of steps that are skipped, because the response has already passed
  ///     them. A cached entity has passed the steps up to and including the stage of its cache
  ///     (CACHE-30).
  ///   - isHit: Whether the response is from a cache.
  ///   - marks: The numbers of steps after which the entity is recorded in `outputs`, in ascending
  ///     order.
  init(
    _ steps: [PipelineStep], skipping: Int = 0, isHit: Bool = false, marks: [Int] = [],
    response: Response, request: Request, method: RequestMethod, now: Double,
    finish: @escaping (Response) -> Void
  ) {
    self.steps = steps
    next = skipping
    self.isHit = isHit
    self.marks = marks
    self.request = request
    self.method = method
    self.now = now
    original = response
    self.finish = finish
  }

  /// The stage of the step that is running; nil before the first step.
  package var stage: PipelineStageKey? { next > 0 ? steps[next - 1].stage : nil }

  /// Whether the result of the run must not be stored in a cache that outlives the process.
  var forbidsStoring: Bool { original.entity?.forbidsStoring ?? false }

  /// Whether the content of the response depends on headers of its request. (AGE-05)
  var dependsOnRequest: Bool { original.entity?.exchange?.variant != nil }

  /// Whether the response has an error in addition to its data. Such a response is not written to
  /// caches, because a cache can't store the error. (GQL-32)
  var isPartial = false

  /// Removes the recorded entities, so that they are not written to caches: a later step has found
  /// that the response is an error. (GQL-32)
  func discardOutputs() { outputs = [] }

  /// Returns whether a cache contains the script value with this ID, or will contain it when the
  /// outputs of this run are written.
  package func isCached(_ id: Int64) -> Bool {
    (isHit && original.entity?.foreignID == id) || outputs.last?.entity.foreignID == id
  }

  func begin() {
    if request.pump.tracesPipelines { request.pump.host?.pipelineBegan(self) }
    advance(original)
  }

  /// Continues the run with the result of a step that waited. Does nothing if the run has ended,
  /// for example because the request was cancelled.
  public func resume(with response: Response) {
    request.pump.checkThread()
    guard !isOver else { return }
    advance(response)
  }

  /// Ends the run without a result. If a step waits, the work of the step is stopped.
  func abandon() {
    guard !isOver else { return }
    isOver = true
    onAbandon?()
    onAbandon = nil
  }

  private var onAbandon: (() -> Void)?

  /// Registers the function that ends the work of a waiting step. A step calls this method if it
  /// will call `resume(with:)` later. `stop` is called when the request is cancelled, or at once if
  /// the request has been cancelled already.
  public func waits(stoppingWith stop: (() -> Void)?) {
    if isOver { stop?() } else { onAbandon = stop }
  }

  private func advance(_ response: Response) {
    onAbandon = nil
    var response = response
    if isStarted { tell(of: response) }
    isStarted = true
    collect(response)
    while next < steps.count {
      let step = steps[next]
      next += 1
      guard let result = step.transformer.process(response, in: self) else { return }
      if isOver { return }
      response = result
      tell(of: response)
      collect(response)
    }
    isOver = true
    finish(published(response))
  }

  /// Returns the response. If a cache contains the same script value as the response, replaces the
  /// content by a copy, because scripts may change the value. (STA-81)
  private func published(_ response: Response) -> Response {
    guard case .success(let entity) = response.outcome, let id = entity.foreignID, isCached(id)
    else { return response }
    return request.pump.host?.published(response, by: self) ?? response
  }

  /// Reports the result of the step that has just ended. (LOG-07)
  private func tell(of response: Response) {
    if request.pump.tracesPipelines {
      request.pump.host?.pipelinePassed(steps[next - 1], with: response, in: self)
    }
    guard request.pump.log.isOn(.pipeline) else { return }
    let step = steps[next - 1]
    let result =
      response.entity.map { $0.content.typeName }
      ?? "error: " + LogText.part(response.error?.userMessage)
    request.pump.log(
      .pipeline,
      "\(request.displayName): \(step.stage): \(LogText.part(step.transformer.description)): "
        + result)
  }

  /// Records the entity of a successful response for each mark that has been reached.
  private func collect(_ response: Response) {
    while nextMark < marks.count, marks[nextMark] <= next {
      // A partial response to a Range request is not the whole entity. (RFC 9110, 15.3.7)
      let isPart = original.entity?.exchange?.status == 206
      if original.isSuccess, !isPart, case .success(let entity) = response.outcome {
        outputs.append((nextMark, entity))
      }
      nextMark += 1
    }
  }

  /// Returns the error of a step that failed for a successful response. The error contains the
  /// status and the raw entity of that response. (TRF-16)
  package func failure(_ cause: RequestError.Cause) -> RequestError {
    var error = RequestError(
      userMessage: cause.userMessage, httpStatusCode: original.entity?.exchange?.status,
      entity: original.entity, cause: cause, timestamp: now)
    error.method = request.method
    error.url = request.urlWithoutCredentials
    error.attempt = request.attempt
    error.attempts = request.attempts
    error.exchange = original.entity?.exchange
    return error
  }

  /// Returns whether the entity has an empty body that is valid: for the statuses 204 and 205, and
  /// for HEAD. (REQ-04)
  package func allowsEmptyBody(_ entity: Entity) -> Bool {
    guard entity.isEmptyBytes || entity.isEmptyText else { return false }
    return method == .head || entity.exchange?.status == 204 || entity.exchange?.status == 205
  }

  /// Returns whether an empty body in place of JSON counts as a success without content. It does in
  /// two cases: `allowsEmptyBody` is true, or the status is 200, 201 or 202 and the method is not
  /// GET. (REQ-04, JSN-10)
  package func allowsNoContent(_ entity: Entity) -> Bool {
    if allowsEmptyBody(entity) { return true }
    let isRead = method == .get || (request as? NetworkRequest)?.isRead ?? (request is CacheLookup)
    guard !isRead, entity.isEmptyBytes || entity.isEmptyText else { return false }
    return [200, 201, 202].contains(entity.exchange?.status)
  }
}

/// A transformer of a pipeline, with its stage.
package struct PipelineStep {
  package let stage: PipelineStageKey
  package let transformer: any ResponseTransformer
}

extension ResponseTransformer {
  /// Returns whether this transformer may replace the bytes of `entity` by text. True for
  /// transformers of unknown types.
  func mayMakeText(of entity: Entity) -> Bool {
    switch self {
    case let parser as ContentParser: parser.makesText && parser.isMine(entity)
    case let transformer as SelectiveTransformer:
      transformer.transformer.mayMakeText(of: entity)
    case let transformer as ResponseContentTransformer: transformer.makesTextOfBytes
    case is JSONResponseTransformer: false
    default: true
    }
  }
}
