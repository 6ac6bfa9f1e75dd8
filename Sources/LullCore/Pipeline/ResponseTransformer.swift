/// One step of a pipeline: a response in, a response out, success or failure alike. (PIPE-17)
///
/// Called on the home thread, once per response, never for a 304 (TRF-03).
public protocol ResponseTransformer: AnyObject {
  /// As error causes name it.
  var description: String { get }

  /// The new response, or nil: the transformer then calls `run.resume(with:)` once, later, on the home
  /// thread, and says with `run.waits(stoppingWith:)` what ends its work early. A function that waits
  /// needs no class: `PipelineStage.add(description:_:)`.
  func process(_ response: Response, in run: PipelineRun) -> Response?
}

/// A transformer that answers at once, given as a function.
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
