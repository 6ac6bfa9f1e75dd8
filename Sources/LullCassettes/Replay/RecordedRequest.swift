import LullCore

/// A request as it is compared with recorded ones: method, URL, body, and those headers that were chosen.
struct RecordedRequest: Sendable {
  let method: String
  let url: RecordedURL
  let body: RecordedBody
  /// Why it is not known; nil: it is.
  let bodyProblem: String?
  /// Of the chosen headers those that it has, each with all of its values; by names in lower case.
  let headers: [String: [[UInt8]]]
  /// Of a body of files, or one that has the mask of a secret.
  private let file: RecordedFile?
  /// nil: none, or of whichever.
  let environment: String?

  init(_ request: HARRequest, comparing names: [String]) {
    method = request.method
    url = RecordedURL(request.url).withPlainMasks()
    body = RecordedBody(request.body?.bytes, type: request.body?.type ?? "")
    bodyProblem = request.bodyProblem
    file = request.body.flatMap { RecordedFile($0) }
    var headers: [String: [[UInt8]]] = [:]
    let names = names.map { $0.lowercased() }
    for header in request.headers where names.contains(header.name.lowercased()) {
      // Tokens that a service keeps by itself are secrets, which are not told apart.
      let isCredential = CredentialMask.header(header.name, "x") == CredentialMask.mark
      headers[header.name.lowercased(), default: []].append(
        isCredential ? Array(CredentialMask.mark.utf8) : header.value)
    }
    self.headers = headers
    environment = request.environment
  }

  /// Whether it is what was recorded. What is of an environment is for no other (ENV-18); in a file anything may stand
  /// where the recording has the mask of a secret: no test gives it a file with that. (CAS-74)
  func fits(_ recorded: RecordedRequest) -> Bool {
    guard method == recorded.method, url == recorded.url, headers == recorded.headers,
      recorded.isOfEnvironment(of: self), recorded.bodyProblem == nil
    else { return false }
    if body == recorded.body { return true }
    guard let file, let other = recorded.file else { return false }
    return file.fits(other)
  }

  func isOfEnvironment(of asked: RecordedRequest) -> Bool {
    environment == nil || environment == asked.environment
  }

  /// What writes to it change: its place, in its environment.
  var resource: String { (environment.map { "\($0) " } ?? "") + url.resource }

  /// Whether it changes what is at its place. (RFC 9110, section 9.2.1; RFC 10008 has QUERY)
  var isWrite: Bool { !["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"].contains(method) }
}

extension RecordedRequest: Equatable {
  static func == (one: RecordedRequest, other: RecordedRequest) -> Bool {
    one.method == other.method && one.url == other.url && one.body == other.body
      && one.headers == other.headers
  }
}
