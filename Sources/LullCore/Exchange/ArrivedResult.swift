/// A `NetworkResult` on its way to whoever waits for it: an object, since that is large to copy.
package final class ArrivedResult: Sendable {
  package let response: HTTPResponse?
  package let body: [UInt8]?
  let error: TransportError?
  let requestError: RequestError?

  package init(response: HTTPResponse, body: [UInt8]) {
    self.response = response
    self.body = body
    error = nil
    requestError = nil
  }

  package init(_ result: NetworkResult) {
    response = result.response
    body = result.body
    error = result.error
    requestError = result.requestError
  }

  /// The same with the Content-Type of `responseType`, if the options have one.
  package func read(by options: TransferOptions?) -> ArrivedResult {
    guard let type = options?.responseType, var response else { return self }
    type.apply(to: &response.headers)
    var result = result
    result.response = response
    return ArrivedResult(result)
  }

  package var result: NetworkResult {
    var result = NetworkResult(response: response, body: body, error: error)
    result.requestError = requestError
    return result
  }
}
