/// The function of a content transformer that calls an asynchronous Swift function. (AWT-01 to
/// AWT-08)
struct WaitingFunction<Input, Output: Sendable>: ContentFunction {
  typealias Transform =
    nonisolated(nonsending) (_ content: Input, _ entity: Entity) async throws -> Output?

  let description: String
  let transform: Transform

  var inputName: String { String(describing: Input.self) }

  func prepare(
    _ entity: Entity, in run: PipelineRun
  ) throws(RequestError) -> ResponseContentTransformer.Work? {
    guard let input = entity.content.cast(to: Input.self) else { return nil }
    return { report in
      let call = WaitingCall()
      let cancel = PumpTasks.of(run.request.pump).start(for: run.request) {
        let result: Result<Output?, any Error>
        do {
          result = .success(try await transform(input, entity))
        } catch {
          result = .failure(error)
        }
        if !call.isStopped { report(outcome(of: result, run)) }
      }
      return {
        call.isStopped = true
        cancel()
      }
    }
  }

  func isOutput(_ content: Content, in run: PipelineRun) throws(RequestError) -> Bool {
    content.cast(to: Output.self) != nil
  }

  var makesTextOfBytes: Bool { Output.self == String.self || Output.self == Content.self }
}

/// The state of one call of an asynchronous function. Home thread only.
final class WaitingCall {
  /// Whether the call was stopped. Its result is then ignored.
  var isStopped = false
}

extension ResponseContentTransformer {
  /// Creates a transformer that calls an asynchronous function. The function may wait, for example
  /// for another resource. In all other respects the transformer is like a transformer with a
  /// synchronous function.
  ///
  /// Order of events: the function starts on a later turn, on the home, in a separate task. When
  /// the function has returned, the pipeline continues with the next step, and then hooks,
  /// observers and waiting tasks are called. Cancelling the request or ending the home cancels the
  /// task; the result of the function is then ignored. If the function waits for the request whose
  /// content it transforms, this wait throws at once, because that request waits for the function.
  /// Lua: a function for `service:transform` that waits. (AWT-01 to AWT-14)
  ///
  ///     api.configure("/ids/*") { [unowned api] in
  ///       $0.pipeline[.model].add(
  ///         ResponseContentTransformer { (id: String, _) async throws -> User? in
  ///           try await api.resource("/users").child(id).fresh(User.self)
  ///         })
  ///     }
  ///
  /// - Parameters:
  ///   - contentTypes: Patterns of the content types that the transformer applies to, such as
  ///     `*/xml`; nil for all content types. (TRF-25)
  ///   - transformErrors: Whether bodies of failures are transformed too. (TRF-05 to TRF-08)
  public convenience init<Input, Output: Sendable>(
    description: String? = nil, contentTypes: [String]? = nil,
    onInputTypeMismatch mismatch: InputTypeMismatchAction = .error, transformErrors: Bool = false,
    processor:
      nonisolated(nonsending) @escaping (
        _ content: Input, _ entity: Entity
      ) async throws -> Output?
  ) {
    let description = description ?? "transformer of \(Input.self) to \(Output.self)"
    self.init(
      WaitingFunction(description: description, transform: processor),
      rules: Rules(mismatch, transformErrors, contentTypes))
  }
}
