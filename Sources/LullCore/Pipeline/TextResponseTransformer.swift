/// A transformer that decodes bytes of any content type as text, in the charset that the type names, else
/// the usual one. (TXT-01)
///
/// Otherwise as `JSONResponseTransformer`. Lua: `stage:add_standard("text")`.
public final class TextResponseTransformer: ResponseTransformer {
  private let parser: ContentParser

  /// - Parameter transformErrors: whether the bodies of errors are decoded too. (TRF-05)
  public init(_ transformErrors: Bool = true) {
    parser = .text(transformsErrors: transformErrors)
  }

  public var description: String { parser.description }

  public func process(_ response: Response, in run: PipelineRun) -> Response? {
    parser.process(response, in: run)
  }
}
