/// The function of a content transformer that decodes JSON as a `Decodable` type. (COD-12)
struct DecodingFunction<Model: Decodable & Sendable>: ContentFunction {
  let description: String

  var inputName: String { "json" }

  func prepare(
    _ entity: Entity, in run: PipelineRun
  ) throws(RequestError) -> ResponseContentTransformer.Work? {
    switch entity.content {
    case .json: break
    case .value(let value) where value is JSONValue || value is JSONElement: break
    default:
      // An empty response, such as a 204, has nothing to decode and is not a failure. (REQ-04,
      // JSN-10)
      guard run.allowsNoContent(entity) else { return nil }
      return { report in
        report(.content(entity.content))
        return nil
      }
    }
    let content = entity.content
    guard content.size > ContentParser.largestOnHomeThread else {
      return { report in
        report(outcome(Result { try content.decoded(Model.self) }, run))
        return nil
      }
    }
    let pump = run.request.pump
    return { report in
      // Large content is decoded in the thread pool, because decoding takes as long as parsing.
      pump.offload {
        Result { try content.decoded(Model.self) }
      } then: { result in
        report(outcome(result, run))
      }
      return nil
    }
  }

  func isOutput(_ content: Content, in run: PipelineRun) throws(RequestError) -> Bool {
    guard case .value(let value) = content else { return false }
    return value is Model
  }

  var makesTextOfBytes: Bool { false }

  private func outcome(
    _ result: Result<Model, any Error>, _ run: PipelineRun
  ) -> ResponseContentTransformer.Outcome {
    switch result {
    case .success(let model): return .content(.value(model))
    case .failure(let error as RequestError): return .raised(error)
    case .failure(let error):
      var failure = run.failure(RequestError.Cause(decoding: Model.self, error))
      failure.userMessage = "Cannot parse server response"
      return .failed(failure)
    }
  }
}

extension ResponseContentTransformer {
  /// Creates a transformer that decodes JSON as a value of the given type, which becomes the
  /// content.
  ///
  /// Content that is not JSON is an input type mismatch, except the empty body of a 204 or a
  /// similar response. In all other respects the transformer behaves like a transformer with a
  /// function.
  public convenience init<Model: Decodable & Sendable>(
    as type: Model.Type, description: String? = nil, contentTypes: [String]? = nil,
    onInputTypeMismatch mismatch: InputTypeMismatchAction = .error, transformErrors: Bool = false
  ) {
    self.init(
      DecodingFunction<Model>(description: description ?? "decoder of \(type)"),
      rules: Rules(mismatch, transformErrors, contentTypes))
  }
}
