/// The common part of the standard parsers: the responses they parse, and the meaning of a failure.
///
/// A parser takes raw bytes of its content types; the JSON parser takes text, too (JSN-81). A
/// failed parse makes a success a failure (TRF-16) and leaves an error unchanged, with its body
/// unparsed (JSN-07, TRF-07). For types that it only tries, content that is not bytes, and bytes
/// that it can't parse, stay unchanged (TXT-12). Large bodies are parsed in the thread pool, with
/// the same outcome (PIPE-16).
final class ContentParser: ResponseTransformer {
  let description: String
  /// nil: any content type, or none.
  private let accepts: ((UnsafeBufferPointer<UInt8>) -> Bool)?
  private let tries: @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
  private let transformsErrors: Bool
  /// Whether the result is text. Text is then not accepted as input. (TXT-07)
  let makesText: Bool
  private let parse: Parse

  typealias Parse =
    @Sendable (UnsafeBufferPointer<UInt8>, Entity) throws(ParseFailure) -> Content

  struct ParseFailure: Error {
    let cause: RequestError.Cause
  }

  /// The largest body, in bytes, that is parsed on the home thread, which blocks the loop for about
  /// 0.1 ms. Passing work to another thread takes as long as parsing 40 KB.
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
        .pipeline, "\(description), of an error's body: \(failure.cause.message)")
      return response
    }
  }

  /// Whether an empty body is left unchanged. An empty text and an empty list of JSON Lines are
  /// content too.
  private func passesBy(_ entity: Entity, _ run: PipelineRun) -> Bool {
    makesText || entity.jsonForm != .whole
      ? run.allowsEmptyBody(entity) : run.allowsNoContent(entity)
  }

  /// Whether it parses content of the entity's type.
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
