/// A Swift function as the function of a content transformer: its types say what it takes and makes.
struct TypedFunction<Input, Output: Sendable>: ContentFunction {
  let description: String
  let transform: (Input, Entity) throws -> Output?

  var inputName: String { String(describing: Input.self) }

  func prepare(
    _ entity: Entity, in run: PipelineRun
  ) throws(RequestError) -> ResponseContentTransformer.Work? {
    guard let input = entity.content.cast(to: Input.self) else { return nil }
    return { report in
      report(outcome(of: Result { try transform(input, entity) }, run))
      return nil
    }
  }

  func isOutput(_ content: Content, in run: PipelineRun) throws(RequestError) -> Bool {
    content.cast(to: Output.self) != nil
  }

  var makesTextOfBytes: Bool { Output.self == String.self || Output.self == Content.self }
}

extension ContentFunction {
  /// What a call of a Swift function comes to by what it has returned or thrown.
  func outcome<Output: Sendable>(
    of result: Result<Output?, any Error>, _ run: PipelineRun
  ) -> ResponseContentTransformer.Outcome {
    switch result {
    case .success(let output?): .content(Content(output))
    case .success(nil): .failed(run.failure(.transformerReturnedNil(transformer: description)))
    case .failure(let error as RequestError): .raised(error)
    case .failure(let error): .failed(run.failure(thrown: error))
    }
  }
}

extension PipelineRun {
  /// TRF-13: whatever was thrown is the cause, for the program; people read the usual sentence.
  func failure(thrown error: any Error) -> RequestError {
    var failure = failure(.custom(error))
    failure.userMessage = "Cannot parse server response"
    return failure
  }
}

extension ResponseContentTransformer {
  /// A transformer of a Swift function; its types say what content it takes and makes.
  ///
  /// `Input` is what `Content.cast(to:)` can give: `String`, `[String: JSONValue]`, `JSONElement`, a
  /// model another transformer made, or `Content` for any (TRF-24). What the function returns becomes
  /// the content; nil is a failure (TRF-15). A `RequestError` it throws becomes the response (TRF-14),
  /// any other error a failure with that cause (TRF-13). A failure keeps status and body as received
  /// (TRF-16).
  ///
  /// - Parameters:
  ///   - contentTypes: patterns of the types it is for, such as `*/xml`; nil is any. (TRF-25)
  ///   - transformErrors: whether bodies of failures are transformed too. (TRF-05 to TRF-08)
  public convenience init<Input, Output: Sendable>(
    description: String? = nil, contentTypes: [String]? = nil,
    onInputTypeMismatch mismatch: InputTypeMismatchAction = .error, transformErrors: Bool = false,
    processor: @escaping (_ content: Input, _ entity: Entity) throws -> Output?
  ) {
    let description = description ?? "transformer of \(Input.self) to \(Output.self)"
    self.init(
      TypedFunction(description: description, transform: processor),
      rules: Rules(mismatch, transformErrors, contentTypes))
  }
}
