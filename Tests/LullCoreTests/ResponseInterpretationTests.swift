import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ResponseInterpretationTests {
  struct Row: CustomTestStringConvertible {
    let id: String
    var status: Int?
    var body: [UInt8]? = [1]
    var error: TransportError?
    var existing = false
    var isConditional = false
    let expected: String

    var testDescription: String { id }
  }

  private static let boom = TransportError(.network, "KABOOM")

  static let rows = [
    Row(id: "200", status: 200, expected: "success data(1)"),
    Row(id: "LOAD-10: 204", status: 204, body: [], expected: "success data(0)"),
    Row(id: "LOAD-10, NET-07: 302, final", status: 302, expected: "success data(1)"),
    Row(id: "LOAD-10: 399", status: 399, expected: "success data(1)"),
    Row(id: "REQ-03: no body", status: 200, body: nil, expected: "success data(0)"),
    Row(id: "LOAD-14: nothing at all", body: nil, expected: "success data(0)"),
    Row(
      id: "LOAD-09, ERR-07: 400", status: 400,
      expected: "400 'Bad request' cause - entity data(1)"),
    Row(id: "ERR-04: 404", status: 404, expected: "404 'Not found' cause - entity data(1)"),
    Row(
      id: "ERR-08: no body, no entity", status: 500, body: nil,
      expected: "500 'Internal server error' cause - entity -"),
    Row(
      id: "ERR-08: an empty body", status: 503, body: [],
      expected: "503 'Service unavailable' cause - entity data(0)"),
    Row(
      id: "ERR-05: an unregistered 4xx", status: 499,
      expected: "499 'Request failed' cause - entity data(1)"),
    Row(
      id: "ERR-05: an unregistered 5xx", status: 599,
      expected: "599 'Server error' cause - entity data(1)"),
    Row(
      id: "LOAD-08, ERR-03: a transport error", body: nil, error: boom,
      expected: "- 'KABOOM' cause network entity -"),
    Row(
      id: "LOAD-11, ERR-11: status and error", status: 200, error: boom,
      expected: "200 'KABOOM' cause network entity data(1)"),
    Row(
      id: "LOAD-11: 304 and error", status: 304, body: nil, error: boom, existing: true,
      expected: "304 'KABOOM' cause network entity -"),
    Row(id: "NM-01: 304 with data", status: 304, existing: true, expected: "not modified text"),
    Row(
      id: "NM-02: 304 without data", status: 304,
      expected: "- 'No data available' cause no_local_data_for_304 entity -"),
    Row(
      id: "NM-10: 304 to a condition", status: 304, body: nil, isConditional: true,
      expected: "304 'No data available' cause no_local_data_for_304 entity data(0)"),
    Row(
      id: "NM-01, NM-10: 304 to a condition, with data", status: 304, existing: true,
      isConditional: true, expected: "not modified text"),
    Row(
      id: "CXL-08: cancelled by the provider", body: nil,
      error: TransportError(.cancelled, "aborted"),
      expected: "- 'aborted' cause request_cancelled entity -"),
  ]

  @Test(arguments: rows)
  func `a result means what status, body and error say`(row: Row) {
    let response = row.status.map { HTTPResponse(status: $0) }
    let result = NetworkResult(response: response, body: row.body, error: row.error)
    let existing = row.existing ? Entity.text("old") : nil
    let meaning = ResponseInterpretation(
      ArrivedResult(result), existing: existing, isConditional: row.isConditional, now: 5)
    #expect(text(of: meaning) == row.expected)
  }

  private func text(of meaning: ResponseInterpretation) -> String {
    switch meaning {
    case .notModified(let entity): return "not modified \(entity.content.typeName)"
    case .response(let response):
      #expect(response.isNew)
      switch response.outcome {
      case .success(let entity):
        #expect(entity.timestamp == 5)
        return "success " + text(of: entity)
      case .failure(let error):
        #expect(error.timestamp == 5, "ERR-01")
        #expect(!response.isCancellation, "CXL-08")
        let entity = error.entity.map { text(of: $0) } ?? "-"
        return "\(error.httpStatusCode.map { String($0) } ?? "-") '\(error.userMessage)' "
          + "cause \(error.cause?.kind ?? "-") entity \(entity)"
      }
    }
  }

  private func text(of entity: Entity) -> String {
    guard case .bytes(let bytes) = entity.content else { return entity.content.typeName }
    return "data(\(bytes.count))"
  }

  @Test func `ENT-16 LOAD-14 a success without response object has no headers and no exchange`() {
    guard
      case .response(let response) = ResponseInterpretation(
        ArrivedResult(NetworkResult()), existing: nil, now: 0)
    else {
      Issue.record("not a response")
      return
    }
    #expect(response.entity?.headers.isEmpty == true)
    #expect(response.entity?.exchange == nil)
  }

  @Test(
    arguments: [
      (.invalidURL(source: "x"), "invalid_url", "Cannot send request with invalid URL"),
      (.unencodableText(encoding: "a", text: "b"), "unencodable_text", "Cannot send request"),
      (.invalidJSONObject(path: "/a"), "invalid_json_object", "Cannot send request"),
      (.notURLEncodable(string: "a"), "not_url_encodable", "Cannot send request"),
      (.requestCancelled, "request_cancelled", "Request cancelled"),
      (.noLocalDataFor304, "no_local_data_for_304", "No data available"),
      (.invalidTextEncoding(name: "a"), "invalid_text_encoding", "Cannot parse server response"),
      (.undecodableText(encoding: "a"), "undecodable_text", "Cannot parse server response"),
      (
        .wrongInputTypeInTransformerPipeline(expected: "a", actual: "b", transformer: "c"),
        "wrong_input_type_in_transformer_pipeline", "Cannot parse server response"
      ),
      (
        .transformerReturnedNil(transformer: "a"), "transformer_returned_nil",
        "Cannot parse server response"
      ),
      (.malformedJSON(message: "a"), "malformed_json", "Cannot parse server response"),
      (.transport(TransportError(.dns, "no such host")), "dns", "no such host"),
    ] as [(RequestError.Cause, String, String)])
  func `ERR-06 ERR-09 each cause has its kind and its sentence`(
    cause: RequestError.Cause, kind: String, message: String
  ) {
    let error = RequestError(httpStatusCode: 500, entity: nil, cause: cause, timestamp: 0)
    #expect(cause.kind == kind)
    #expect(error.userMessage == message, "ERR-02: the cause comes before the status")
  }
}
