/// A pipeline step that validates JSON responses against the schema of their call in the API file.
/// It runs at the end of the parsing stage.
///
/// It does not validate content of other types, empty responses and partial responses (206). Cache
/// hits of later stages are not validated again. If the body of a failure does not match the
/// schema, the mismatch is only a warning and the failure is left unchanged. Large content is
/// validated in the thread pool.
final class ValidationStep: ResponseTransformer {
  private let isStrict: Bool

  /// - Parameter isStrict: Whether a success that does not match the schema becomes a failure.
  init(isStrict: Bool) {
    self.isStrict = isStrict
  }

  var description: String { "validation" }

  func process(_ response: Response, in run: PipelineRun) -> Response? {
    // Fields with errors are null, whatever the schema says.
    guard !run.isPartial, let entity = response.entity ?? response.error?.entity,
      let status = ValidationStep.status(of: response),
      status != 206, let resource = run.request.resource, let schemas = resource.service.schemas,
      let document = ValidationStep.document(of: entity, run),
      let schema = schemas.schema(
        of: run.method, run.request.urlWithoutCredentials ?? resource.url.text,
        (run.request as? NetworkRequest)?.httpRequest.body ?? resource.query?.body, status: status)
    else { return response }
    guard document.memory > ContentParser.largestOnHomeThread else {
      return judged(response, schema.misfits(of: document.root), schema, schemas, run)
    }
    run.request.pump.offload {
      schema.misfits(of: document.root)
    } then: { misfits in
      run.resume(with: self.judged(response, misfits, schema, schemas, run))
    }
    return nil
  }

  private func judged(
    _ response: Response, _ misfits: [ContentMisfit], _ schema: any AnswerSchema,
    _ schemas: any AnswerSchemas, _ run: PipelineRun
  ) -> Response {
    guard !misfits.isEmpty else { return response }
    if isStrict, response.isSuccess {
      return .failure(run.failure(.validation(schema: schema.owner, errors: misfits)))
    }
    schemas.warn(misfits, by: schema)
    return response
  }

  private static func status(of response: Response) -> Int? {
    switch response.outcome {
    case .success(let entity): entity.exchange?.status ?? 200
    case .failure(let error): error.httpStatusCode
    }
  }

  /// Returns the JSON document of the entity, which an earlier step or this method has parsed; nil
  /// if the content type is not JSON, or there is nothing to validate.
  private static func document(of entity: Entity, _ run: PipelineRun) -> JSONDocument? {
    let isJSON = entity.headers.withFirstValue("content-type", ContentTypePattern.isJSON) ?? false
    guard isJSON, !run.allowsNoContent(entity) else { return nil }
    switch entity.content {
    case .json(let document): return document.hasLines ? nil : document
    case .bytes(let bytes): return try? JSONDocument(parsing: bytes)
    default:
      // A step of this stage may have transformed the content, but the schema describes the
      // original.
      let original = run.original.entity ?? run.original.error?.entity
      guard case .bytes(let bytes)? = original?.content else { return nil }
      return try? JSONDocument(parsing: bytes)
    }
  }
}
