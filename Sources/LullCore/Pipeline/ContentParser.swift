/// The common part of the standard parsers: which responses they take, and what a failure means.
///
/// A parser takes raw bytes of its content types. A failed parse fails a success (TRF-16) and leaves
/// an error as it was, its body unparsed (JSN-07, TRF-07).
final class ContentParser: ResponseTransformer {
  let description: String
  private let accepts: (UnsafeBufferPointer<UInt8>) -> Bool
  private let parse: (UnsafeBufferPointer<UInt8>, Entity) throws(ParseFailure) -> Content

  struct ParseFailure: Error {
    let cause: RequestErrorCause
  }

  init(
    description: String, accepts: @escaping (UnsafeBufferPointer<UInt8>) -> Bool,
    parse: @escaping (UnsafeBufferPointer<UInt8>, Entity) throws(ParseFailure) -> Content
  ) {
    self.description = description
    self.accepts = accepts
    self.parse = parse
  }

  func process(_ response: Response, in run: PipelineRun) -> Response? {
    switch response.outcome {
    case .success(let entity):
      guard isMine(entity), !run.allowsEmptyBody(entity) else { return response }
      do throws(ParseFailure) {
        return Response(.success(try parsed(entity)), isNew: response.isNew)
      } catch {
        run.request.pump.log(.pipeline, "\(description): \(error.cause.message)")
        return .failure(run.failure(error.cause))
      }
    case .failure(var error):
      guard let entity = error.entity, isMine(entity) else { return response }
      do throws(ParseFailure) {
        error.entity = try parsed(entity)
      } catch let failure {
        run.request.pump.log(
          .pipeline, "\(description), of an error's body: \(failure.cause.message)")
      }
      return .failure(error)
    }
  }

  private func isMine(_ entity: Entity) -> Bool {
    entity.headers.withFirstValue("content-type", accepts) ?? false
  }

  private func parsed(_ entity: Entity) throws(ParseFailure) -> Entity {
    guard case .bytes(let bytes) = entity.content else {
      throw ParseFailure(
        cause: .wrongInputTypeInTransformerPipeline(
          expected: "data", actual: entity.content.typeName, transformer: description))
    }
    var entity = entity
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<Content, ParseFailure> in
      do throws(ParseFailure) {
        return .success(try parse(buffer, entity))
      } catch {
        return .failure(error)
      }
    }
    entity.content = try result.get()
    return entity
  }
}
