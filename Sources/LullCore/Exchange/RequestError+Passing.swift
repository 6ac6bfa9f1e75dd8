extension RequestError {
  /// Whether the next attempt may do better: no answer, or one that asks for patience.
  package var mayPass: Bool {
    if let httpStatusCode {
      return [408, 425, 429].contains(httpStatusCode) || httpStatusCode >= 500
    }
    switch cause {
    case .requestCancelled: return true
    case .transport(let error) where error.isFinal: return false
    case .transport(let error):
      switch error.kind {
      case .network, .timeout, .dns, .connection, .truncatedBody, .cancelled: return true
      case .tls, .malformedResponse, .bodyTooLarge, .tooManyRedirects, .redirectRefused,
        .invalidURL, .scriptError, .secretOrigin, .secretUnavailable, .authFailed, .fileUnavailable,
        .fileChanged, .eventStream, .notAStream, .offline, .unconfirmed:
        return false
      }
    default: return false
    }
  }
}
