/// A transformer that parses bytes or text of any content type as JSON: an object, an array, or any
/// other value. (JSN-01, JSN-81)
///
/// For a stage or types that `StandardTransformer.json` is not for; `PipelineStage.add(_:contentTypes:)`
/// says which. Other content, and bytes or text that are not JSON, fail a success (TRF-16) and leave
/// an error as it was (TRF-07). Large bodies are parsed in a pool of threads. Lua: `stage:add_standard("json")`.
///
///     configuration.pipeline[.parsing].add(JSONResponseTransformer(), contentTypes: ["text/x-json"])
public final class JSONResponseTransformer: ResponseTransformer {
  private let parser: ContentParser

  /// - Parameter transformErrors: whether the bodies of errors are parsed too. (TRF-05)
  public init(_ transformErrors: Bool = true) {
    parser = .json(transformsErrors: transformErrors)
  }

  public var description: String { parser.description }

  public func process(_ response: Response, in run: PipelineRun) -> Response? {
    parser.process(response, in: run)
  }
}
