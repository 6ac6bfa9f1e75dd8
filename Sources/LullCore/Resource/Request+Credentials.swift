extension Request {
  /// What is asked as errors say it: without the credentials that the configuration puts into a query. (QRY-03)
  var urlWithoutCredentials: String? {
    switch self {
    case let request as NetworkRequest: request.http.withoutCredentials(request.http.url)
    case let request as ChainedRequest: request.wrapped.urlWithoutCredentials
    default: url
    }
  }
}
