/// A step of the pipeline made of a function from response to response that may wait. (AWT-09)
final class WaitingResponseTransformer: ResponseTransformer {
  typealias Transform = nonisolated(nonsending) (Response) async throws -> Response

  let description: String
  private let transform: Transform

  init(_ description: String, _ transform: @escaping Transform) {
    self.description = description
    self.transform = transform
  }

  func process(_ response: Response, in run: PipelineRun) -> Response? {
    let cancel = PumpTasks.of(run.request.pump).start(for: run.request) { [transform] in
      let result: Response
      do {
        result = try await transform(response)
      } catch let error as RequestError {
        result = .failure(error)
      } catch {
        result = .failure(run.failure(thrown: error))
      }
      run.resume(with: result)
    }
    run.waits(stoppingWith: cancel)
    return nil
  }
}
