import CLullBridge
import LullCore

/// A function of the script as a step of the pipeline. (TRF-04 to TRF-16, TRF-23, TRF-24)
///
/// It receives the content and the whole entity and changes only the content. It may wait; the
/// request then waits with it, and cancelling the request ends it.
final class LuaTransformer: ResponseTransformer {
  enum Mismatch: String, CaseIterable {
    case error
    case skip
    case skipIfOutputTypeMatches = "skip_if_output_type_matches"
  }

  /// `input` or `output`: one of the words, or a predicate of the content.
  enum TypeTest {
    case any
    case word(String)
    case predicate(KeptValue)

    var description: String {
      switch self {
      case .any: "any"
      case .word(let word): word
      case .predicate: "predicate"
      }
    }
  }

  struct Options {
    var input = TypeTest.any
    var output = TypeTest.any
    var mismatch = Mismatch.error
    var transformsErrors = false
    var contentTypes: [ContentTypePattern]?

    static let keys = [
      "input", "output", "on_input_type_mismatch", "transform_errors", "content_types",
    ]
  }

  unowned let host: LuaHost
  private let function: KeptValue
  private let options: Options
  let description: String

  init(host: LuaHost, function: KeptValue, options: Options) {
    self.host = host
    self.function = function
    self.options = options
    description = "transformer at \(host.place(of: function.id))"
  }

  func process(_ response: Response, in run: PipelineRun) -> Response? {
    switch response.outcome {
    case .success(let entity):
      guard accepts(entity) else { return response }
      return transform(entity, response, run) { result in
        switch result {
        case .success(let content):
          var entity = entity
          entity.content = content
          return .success(entity)
        case .raised(let error), .failed(let error): return .failure(error)
        }
      }
    case .failure(var error):
      guard options.transformsErrors, let entity = error.entity, accepts(entity) else {
        return response
      }
      // What cannot be transformed leaves the original error as it was (TRF-07); an error raised on
      // purpose takes its place (TRF-14).
      return transform(entity, response, run) { [host] result in
        switch result {
        case .success(let content):
          error.entity?.content = content
          return .failure(error)
        case .raised(let error): return .failure(error)
        case .failed(let failure):
          host.pump.log(.pipeline, "of an error's body: \(failure.longDescription)")
          return response
        }
      }
    }
  }

  private func accepts(_ entity: Entity) -> Bool {
    guard let patterns = options.contentTypes else { return true }
    let type = entity.contentType
    return patterns.contains { $0.matches(type) }
  }

  private enum Result {
    case success(Content)
    /// A request error of the script's.
    case raised(RequestError)
    case failed(RequestError)
  }

  private enum Fit {
    case fits
    case skip
    case fails(RequestError)
  }

  private func transform(
    _ entity: Entity, _ response: Response, _ run: PipelineRun,
    _ wrap: @escaping (Result) -> Response
  ) -> Response? {
    switch fit(entity.content, entity, run) {
    case .fits: break
    case .skip: return response
    case .fails(let error): return wrap(.failed(error))
    }
    let request = run.request
    let service = request.resource?.service
    var isInside = true
    var immediate: Response?
    let context = RunContext(purpose: description, request: request) { [self] host, outcome in
      guard let result = result(of: outcome, run) else { return }
      let response = wrap(result)
      if isInside {
        immediate = response
      } else {
        run.resume(with: response)
      }
    }
    let content = host.content(entity.content, for: run.request)
    let box = EntityBox(entity, service: service)
    let argument = host.value(
      box, .entity, service: service, anchor: entity.content.foreignID ?? 0)
    host.start(Callable(id: function.id), [content, argument], context)
    isInside = false
    guard immediate == nil else { return immediate }
    if run.request.isCompleted {
      // Cancelled by its own transformer, which waits now.
      host.cancel(context)
    } else {
      run.onAbandon = { [host] in host.cancel(context) }
    }
    return nil
  }

  private func fit(_ content: Content, _ entity: Entity, _ run: PipelineRun) -> Fit {
    switch test(options.input, content, run) {
    case .success(true): return .fits
    case .failure(let error): return .fails(error)
    case .success(false): break
    }
    switch options.mismatch {
    case .skip: return .skip
    case .skipIfOutputTypeMatches:
      switch test(options.output, content, run) {
      case .success(true): return .skip
      case .failure(let error): return .fails(error)
      case .success(false): break
      }
    case .error: break
    }
    return .fails(
      run.failure(
        .wrongInputTypeInTransformerPipeline(
          expected: options.input.description, actual: content.typeName,
          transformer: description)))
  }

  private func test(_ type: TypeTest, _ content: Content, _ run: PipelineRun)
    -> Swift.Result<Bool, RequestError>
  {
    switch type {
    case .any: return .success(true)
    case .word(let word): return .success(content.matches(word))
    case .predicate(let function):
      let answer = host.ask(
        Callable(id: function.id), [host.content(content, for: run.request)],
        kind: "predicate of a transformer"
      ) { LuaHost.isTruthy($0[0]) }
      switch answer {
      case .success(let isTrue): return .success(isTrue)
      case .failure(.failed(let failure)):
        switch result(of: failure, run) {
        case .raised(let error), .failed(let error): return .failure(error)
        case .success: return .success(false)
        }
      case .failure(.gone): return .success(false)
      }
    }
  }

  private func result(of outcome: RunOutcome, _ run: PipelineRun) -> Result? {
    switch outcome {
    case .finished(let results):
      let value = results[0]
      guard value.kind != Int32(LULL_NIL),
        let content = try? host.content(value, results.state, results.index(0))
      else { return .failed(run.failure(.transformerReturnedNil(transformer: description))) }
      // Held by the request until it settles; then by whoever holds the result.
      if let id = content.foreignID { host.hold(id, for: run.request) }
      return .success(content)
    case .failed(let failure): return result(of: failure, run)
    case .gone: return .failed(run.failure(.transformerReturnedNil(transformer: description)))
    case .cancelled: return nil
    }
  }

  /// A request error raised is used as it is (TRF-14); anything else fails the request and is
  /// reported (TRF-13).
  private func result(of failure: ScriptFailure, _ run: PipelineRun) -> Result {
    if let error = failure.requestError { return .raised(error) }
    host.report(failure, in: description)
    if let id = failure.value?.id { host.hold(id, for: run.request) }
    return .failed(
      run.failure(
        .script(
          ScriptErrorCause(
            userMessage: "Cannot parse server response", message: failure.message,
            traceback: failure.traceback, stage: run.stage?.description, value: failure.value))))
  }
}

extension Content {
  /// Whether the content is of the type a word of `input` or `output` names.
  fileprivate func matches(_ word: String) -> Bool {
    switch (word, self) {
    case ("any", _): true
    case ("text", .text), ("data", .bytes), ("json", .json): true
    case ("table", .json(let document)):
      document.root.kind == .object || document.root.kind == .array
    case ("table", .foreign(let foreign)): foreign.typeName == "table"
    default: false
    }
  }
}
