package import LullCore

extension HARRequest {
  /// A request as it would go out, with the masks of its secrets; fails where its body cannot be read.
  package init(_ request: HTTPRequest) throws(TransportError) {
    let type = request.headers["content-type"] ?? ""
    let body: HARBody?
    switch request.payload {
    case .bytes(let bytes)?: body = HARBody(bytes, type: type)
    case .streamed(let stream)?:
      var streamed = HARBody(try stream.bytes(), type: type)
      streamed.isOfFile = stream.hasFiles
      body = streamed
    case nil: body = nil
    }
    self.init(
      method: request.method.rawValue, url: request.url,
      headers: request.headers.bytePairs.map { HARHeader(String(escaping: $0.name), $0.value) },
      body: body)
    environment = request.environment
  }
}

extension HARResponse {
  /// - Parameters:
  ///   - body: without the codings of the transfer; nil: there was none at all.
  ///   - url: that was asked for.
  package init(_ response: HTTPResponse, body: [UInt8]?, asked url: String) {
    self.init(
      status: response.status,
      headers: response.headers.bytePairs.map { HARHeader(String(escaping: $0.name), $0.value) },
      body: body.map { HARBody($0, type: response.headers["content-type"] ?? "") },
      finalURL: response.url == url ? nil : response.url)
  }
}

extension HARFailure {
  package init(_ error: TransportError) {
    self.init(kind: error.kind.rawValue, message: error.message)
    isUnsent = error.isUnsent
  }
}

extension NetworkResult {
  /// What was recorded, as the network would report it.
  ///
  /// - Parameter url: that was asked for.
  package init(_ entry: HAREntry, url: String) {
    self.init(
      response: entry.response.map { HTTPResponse($0, asked: url, seconds: entry.seconds) },
      body: entry.response?.body?.bytes,
      error: entry.failure.map { failure in
        // Kinds were looked at when the recording was read.
        var error = TransportError(.init(rawValue: failure.kind) ?? .network, failure.message)
        error.isUnsent = failure.isUnsent
        return error
      })
  }
}

extension HTTPResponse {
  /// - Parameter url: that was asked for.
  init(_ recorded: HARResponse, asked url: String, seconds: Double = 0) {
    var headers = Headers()
    for header in recorded.headers { headers.add(header.name, bytes: header.value) }
    self.init(
      status: recorded.status, headers: headers, url: recorded.finalURL ?? url, elapsed: seconds)
  }
}

extension HAREntry {
  package var seconds: Double { milliseconds / 1000 }
}
