/// The implementation that the standard parsers share. It decides which responses are parsed and
/// what happens if parsing fails.
///
/// A parser accepts raw bytes of its content types; the JSON parser accepts text, too (JSN-81). If
/// a successful response can't be parsed, it becomes a failure (TRF-16). If the body of a failure
/// can't be parsed, the failure is left unchanged (JSN-07, TRF-07). A parser may also have content
/// types that it only tries to parse. For these, bytes that can't be parsed, and content that is
/// not bytes, are left unchanged (TXT-12). Large bodies are parsed in the thread pool, with the
/// same outcome (PIPE-16).
final class ContentParser: ResponseTransformer {
  let description: String
  /// Returns whether the parser accepts a content type. nil if the parser parses every response,
  /// even without a content type.
  private let accepts: ((UnsafeBufferPointer<UInt8>) -> Bool)?
  private let tries: @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
  private let transformsErrors: Bool
  /// Whether the result of the parser is text. If so, the parser does not accept text as input.
  /// (TXT-07)
  let makesText: Bool
  private let parse: Parse

  typealias Parse =
    @Sendable (UnsafeBufferPointer<UInt8>, Entity) throws(ParseFailure) -> Content

  struct ParseFailure: Error {
    let cause: RequestError.Cause
  }

  /// The size in bytes of the largest body that is parsed on the home thread. Parsing a body of
  /// this size blocks the event loop for about 0.1 ms. Passing work to another thread takes as long
  /// as parsing 40 KB.
  static let largestOnHomeThread = 64 * 1024

  init(
    description: String, accepts: ((UnsafeBufferPointer<UInt8>) -> Bool)?,
    tries: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool = { _ in false },
    transformsErrors: Bool = true, makesText: Bool = false, parse: @escaping Parse
  ) {
    self.description = description
    self.accepts = accepts
    self.tries = tries
    self.transformsErrors = transformsErrors
    self.makesText = makesText
    self.parse = parse
  }

  func process(_ response: Response, in run: PipelineRun) -> Response? {
    let entity: Entity
    switch response.outcome {
    case .success(let found):
      guard isMine(found), !passesBy(found, run) else { return response }
      entity = found
    case .failure(let error):
      guard transformsErrors, let found = error.entity, isMine(found) else { return response }
      entity = found
    }
    guard entity.size > ContentParser.largestOnHomeThread else {
      return processed(response, parsed(entity), run)
    }
    JSONDocument.prepareForThreads()
    run.request.pump.offload { [parse, tries, makesText, description] in
      ContentParser.parsed(entity, parse, tries, makesText, description)
    } then: { result in
      run.resume(with: self.processed(response, result, run))
    }
    return nil
  }

  private func processed(
    _ response: Response, _ result: Result<Entity, ParseFailure>, _ run: PipelineRun
  ) -> Response {
    switch (response.outcome, result) {
    case (.success, .success(let entity)):
      return Response(.success(entity), isNew: response.isNew)
    case (.success, .failure(let failure)):
      run.request.pump.log(.pipeline, "\(description): \(failure.cause.message)")
      return .failure(run.failure(failure.cause))
    case (.failure(var error), .success(let entity)):
      error.entity = entity
      return .failure(error)
    case (.failure, .failure(let failure)):
      run.request.pump.log(
        .pipeline, "\(description), in the body of an error response: \(failure.cause.message)")
      return response
    }
  }

  /// Returns whether the entity has an empty body that is left unparsed. A text parser, and the
  /// parser of JSON Lines, leave only the bodies that `allowsEmptyBody` accepts unparsed, because
  /// an empty text and an empty list are valid content.
  private func passesBy(_ entity: Entity, _ run: PipelineRun) -> Bool {
    makesText || entity.jsonForm != .whole
      ? run.allowsEmptyBody(entity) : run.allowsNoContent(entity)
  }

  /// Returns whether the parser accepts, or tries to parse, the entity's content type.
  func isMine(_ entity: Entity) -> Bool {
    guard let accepts else { return true }
    return entity.headers.withFirstValue("content-type") { accepts($0) || tries($0) } ?? false
  }

  private func parsed(_ entity: Entity) -> Result<Entity, ParseFailure> {
    ContentParser.parsed(entity, parse, tries, makesText, description)
  }

  private static func parsed(
    _ entity: Entity, _ parse: Parse, _ tries: (UnsafeBufferPointer<UInt8>) -> Bool,
    _ makesText: Bool, _ description: String
  ) -> Result<Entity, ParseFailure> {
    let result = parsed(entity, parse, makesText, description)
    if case .failure = result, entity.headers.withFirstValue("content-type", tries) ?? false {
      return .success(entity)
    }
    return result
  }

  private static func parsed(
    _ entity: Entity, _ parse: Parse, _ makesText: Bool, _ description: String
  ) -> Result<Entity, ParseFailure> {
    switch entity.content {
    case .bytes(let bytes): return bytes.withUnsafeBufferPointer { parsed(entity, $0, parse) }
    case .text(var text) where !makesText:
      return text.withUTF8 { parsed(entity, $0, parse) }
    default:
      return .failure(
        ParseFailure(
          cause: .wrongInputTypeInTransformerPipeline(
            expected: "data", actual: entity.content.typeName, transformer: description)))
    }
  }

  private static func parsed(
    _ entity: Entity, _ bytes: UnsafeBufferPointer<UInt8>, _ parse: Parse
  ) -> Result<Entity, ParseFailure> {
    do throws(ParseFailure) {
      var entity = entity
      let content = try parse(bytes, entity)
      if case .text(let text) = content {
        entity.setText(text, from: bytes)
      } else {
        entity.content = content
      }
      return .success(entity)
    } catch {
      return .failure(error)
    }
  }
}
