/// The function of a content transformer that calls a synchronous Swift function. The types of the
/// Swift function are the input and output types.
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
  /// Returns the outcome for a Swift function that has returned a value or thrown an error.
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
  /// Returns a failure whose cause is the thrown error. The failure has the usual message for
  /// content that can't be parsed. (TRF-13)
  func failure(thrown error: any Error) -> RequestError {
    var failure = failure(.custom(error))
    failure.userMessage = "Cannot parse server response"
    return failure
  }
}

extension ResponseContentTransformer {
  /// Creates a transformer that calls a Swift function. The types of the function are the input and
  /// output types of the transformer.
  ///
  /// `Input` is a type that `Content.cast(to:)` can return: `String`, `[String: JSONValue]`,
  /// `JSONElement`, a model that another transformer made, or `Content` for any content (TRF-24).
  /// The result of the function becomes the content. If the result is nil, the response becomes a
  /// failure (TRF-15). If the function throws a `RequestError`, that error becomes the response
  /// (TRF-14). Any other error becomes the cause of a failure (TRF-13). These failures contain the
  /// status and the body as received (TRF-16).
  ///
  /// - Parameters:
  ///   - contentTypes: Patterns of the content types that the transformer applies to, such as
  ///     `*/xml`; nil for all content types. (TRF-25)
  ///   - transformErrors: Whether bodies of failures are transformed too. (TRF-05 to TRF-08)
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
