/// A transformer, for responses of some content types. (TRF-25)
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
