/// What the command and API files ask of a resource beyond what scripts do.
extension Resource {
  /// A load whose request is edited for this time only. (LOAD-01 to LOAD-04, MUT-01)
  package func load(requestMutation: @escaping RequestMutation) -> Request {
    checkCaches()
    let request = prepared(
      .get, revalidation: .sending(condition), adHoc: AdHocMutation(requestMutation))
    load(using: request)
    return request.start()
  }

  /// A request as it would be sent, before decorators; nothing is sent or listed.
  package func built(
    _ method: RequestMethod, body: RequestBody?, requestMutation: RequestMutation?
  ) -> Result<HTTPRequest, RequestError> {
    let edit: AdHocMutation?
    do throws(RequestBodyFailure) {
      edit = try adHoc(body, requestMutation.map { AdHocMutation($0) })
    } catch {
      return .failure(
        RequestError(
          httpStatusCode: nil, entity: nil, cause: error.cause, timestamp: pump.clock.now))
    }
    let request = makeRequest(method, adHoc: edit)
    if let error = request.response?.error { return .failure(error) }
    guard let request = request as? NetworkRequest else {
      return .failure(RequestError(userMessage: "Cannot send request", timestamp: 0))
    }
    return .success(request.httpRequest)
  }
}
