import LullCassettes

/// Where a service is that has named a recording, and in which environment of its API file: its requests are
/// recorded there, and answered from there before other environments' recordings are asked. (CAS-62, ENV-18)
struct CassetteClaim: Hashable {
  let origin: String
  /// nil: none.
  let environment: String?

  init(url: String, environment: String?) {
    origin = RecordedURL(url).origin
    self.environment = environment
  }

  init(_ request: HARRequest) {
    self.init(url: request.url, environment: request.environment)
  }
}
