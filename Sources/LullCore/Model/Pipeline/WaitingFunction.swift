/// A Swift function that may wait, as the function of a content transformer. (AWT-01 to AWT-08)
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

/// One call of a function that waits. Home thread only.
final class WaitingCall {
  /// Whether nobody wants its result any more.
  var isStopped = false
}

extension ResponseContentTransformer {
  /// A transformer of a function that may wait, such as for another resource; otherwise as that of one
  /// that answers at once.
  ///
  /// Order of events: the function begins on a later turn, on the home, in a task of its own; the pipeline
  /// goes on with the next step when it has returned, and hooks, observers and who waits for the request
  /// hear of it then. Cancelling the request cancels that task, whose result counts for nothing then, and
  /// so does the end of the home. Waiting for the request whose content it is given, which waits for it,
  /// is an error at once. Lua: a function for `service:transform` that waits. (AWT-01 to AWT-14)
  ///
  ///     api.configure("/ids/*") { [unowned api] in
  ///       $0.pipeline[.model].add(
  ///         ResponseContentTransformer { (id: String, _) async throws -> User? in
  ///           try await api.resource("/users").child(id).fresh(User.self)
  ///         })
  ///     }
  ///
  /// - Parameters:
  ///   - contentTypes: patterns of the types it is for, such as `*/xml`; nil is any. (TRF-25)
  ///   - transformErrors: whether bodies of failures are transformed too. (TRF-05 to TRF-08)
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
