/// A pipeline step that reads a response as a GraphQL response: the content becomes the value of
/// `data`, and `errors` become an error. It runs in the parsing stage, after the parsers.
/// (GQL-30 to GQL-35; GraphQL over HTTP, section "Response")
///
/// If there is data and there are errors, the response is a success, and the entity's
/// `partialError` contains the errors. If there is no data, the response is a failure. Large
/// content is copied in the thread pool.
final class GraphQLStep: ResponseTransformer {
  var description: String { "GraphQL" }

  func process(_ response: Response, in run: PipelineRun) -> Response? {
    switch response.outcome {
    case .success(let entity):
      guard let content = GraphQLStep.body(of: entity, run) else { return response }
      guard case .json(let document) = content else {
        return processed(response, entity, GraphQLStep.unparsed(content), run)
      }
      guard document.memory > ContentParser.largestOnHomeThread else {
        return processed(response, entity, GraphQLResponse(document), run)
      }
      run.request.pump.offload {
        GraphQLResponse(document)
      } then: { body in
        run.resume(with: self.processed(response, entity, body, run))
      }
      return nil
    case .failure(var error):
      // With an error status, the errors say more than the status. (GQL-33)
      guard error.cause == nil, let content = error.entity?.content else { return response }
      let document: JSONDocument? =
        switch content {
        case .json(let document): document
        case .bytes(let bytes): try? JSONDocument(parsing: bytes)
        case .text, .value, .foreign: nil
        }
      let errors = document.map { GraphQLError.list($0.root) } ?? []
      guard !errors.isEmpty else { return response }
      let cause = RequestError.Cause.graphQL(errors)
      let advice = run.method == .query ? error.adviceForQuery : nil
      error.cause = cause
      error.userMessage = cause.userMessage + (advice.map { ": \($0)" } ?? "")
      return .failure(error)
    }
  }

  /// Returns the content that has to be a GraphQL response; nil if there is nothing to read. Content
  /// that a transformer has made, and a part of a response (206), are not read.
  private static func body(of entity: Entity, _ run: PipelineRun) -> Content? {
    guard entity.exchange?.status != 206, !run.allowsEmptyBody(entity) else { return nil }
    switch entity.content {
    case .json, .bytes, .text: return entity.content
    case .value, .foreign: return nil
    }
  }

  private func processed(
    _ response: Response, _ entity: Entity, _ body: GraphQLResponse, _ run: PipelineRun
  ) -> Response {
    var entity = entity
    switch body {
    case .data(let data, let errors):
      if case .json = entity.content { entity.content = .json(data) }
      if !errors.isEmpty {
        entity.partialError = run.failure(.graphQL(errors)).ofPartialData
        run.isPartial = true
      }
      return Response(.success(entity), isNew: response.isNew)
    case .errors(let errors):
      run.discardOutputs()
      return .failure(run.failure(.graphQL(errors)))
    case .neither(let found):
      run.discardOutputs()
      return .failure(run.failure(GraphQLStep.unexpected(found)))
    }
  }

  /// Reads a body that no parser has parsed, for example because its Content-Type is wrong. Only its
  /// errors are used: the content stays unchanged.
  private static func unparsed(_ content: Content) -> GraphQLResponse {
    let bytes: [UInt8]
    switch content {
    case .bytes(let found): bytes = found
    case .text(let text): bytes = Array(text.utf8)
    default: return .neither(content.typeName)
    }
    guard let document = try? JSONDocument(parsing: bytes) else {
      return .neither(bytes.isEmpty ? "nothing" : "text that is not JSON")
    }
    return GraphQLResponse(document)
  }

  static func unexpected(_ found: String) -> RequestError.Cause {
    .wrongContent(
      type: "GraphQL response", path: "",
      message: "expected an object with 'data' or 'errors', found \(found)")
  }
}

/// The parts of a GraphQL response.
enum GraphQLResponse: Sendable {
  /// The value of `data`, and the errors.
  case data(JSONDocument, [GraphQLError])
  /// The errors of a response without data.
  case errors([GraphQLError])
  /// The content is not a GraphQL response. The value describes the content.
  case neither(String)

  init(_ document: JSONDocument) {
    let root = document.root
    guard !document.hasLines else {
      self = .neither("several values")
      return
    }
    let errors = GraphQLError.list(root)
    guard let data = root["data"], !data.isNull || errors.isEmpty else {
      self = errors.isEmpty ? .neither(GraphQLResponse.name(of: root)) : .errors(errors)
      return
    }
    do throws(JSONError) {
      self = .data(try data.copied(), errors)
    } catch {
      self = .neither(error.description)
    }
  }

  private static func name(of root: JSONElement) -> String {
    switch root.kind {
    case .object: "an object without them"
    case .array: "a list"
    default: "a value"
    }
  }
}

extension RequestHeaders {
  /// Sets the `Accept` header of GraphQL requests, unless the header is set or omitted. (GraphQL over
  /// HTTP, section "Media Types")
  mutating func acceptGraphQL() {
    guard self["accept"] == nil, !omitted.contains("accept") else { return }
    self["Accept"] = "application/graphql-response+json, application/json;q=0.9"
  }
}
