/// One step of a pipeline. It gets a response, success or failure, and returns the response for the
/// next step. (PIPE-17)
///
/// Called on the home thread, once for each response, never for a 304 (TRF-03).
public protocol ResponseTransformer: AnyObject {
  /// The name of the transformer in causes of errors.
  var description: String { get }

  /// Returns the new response, or nil if the transformer has to wait for the response. In that case
  /// the transformer calls `run.resume(with:)` once, later, on the home thread. It also registers a
  /// function that ends its work early, with `run.waits(stoppingWith:)`. For an asynchronous
  /// function, use `PipelineStage.add(description:_:)` instead of a class.
  func process(_ response: Response, in run: PipelineRun) -> Response?
}

/// A transformer that calls a synchronous function, which gets a response and returns a response.
package final class FunctionTransformer: ResponseTransformer {
  package let description: String
  private let transform: (Response) -> Response

  package init(description: String, _ transform: @escaping (Response) -> Response) {
    self.description = description
    self.transform = transform
  }

  package func process(_ response: Response, in run: PipelineRun) -> Response? {
    transform(response)
  }
}

/// A transformer that calls an asynchronous function, which gets a response and returns a response.
/// The function runs in a separate task on the home. (AWT-09)
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

/// A transformer that applies another transformer only to responses of certain content types.
/// (TRF-25)
final class SelectiveTransformer: ResponseTransformer {
  let description: String
  let transformer: any ResponseTransformer
  private let patterns: [ContentTypePattern]

  init(_ transformer: any ResponseTransformer, _ contentTypes: [String]) {
    self.transformer = transformer
    patterns = contentTypes.map { ContentTypePattern($0) }
    description = "\(transformer.description) of \(contentTypes.joined(separator: ", "))"
  }

  func process(_ response: Response, in run: PipelineRun) -> Response? {
    let entity: Entity? =
      switch response.outcome {
      case .success(let entity): entity
      case .failure(let error): error.entity
      }
    guard let type = entity?.contentType, patterns.contains(where: { $0.matches(type) }) else {
      return response
    }
    return transformer.process(response, in: run)
  }
}
