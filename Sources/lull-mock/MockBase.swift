import LullCore

/// Where the service is that is mocked.
struct MockBase {
  /// Scheme, host and port; nil without a base URL.
  let origin: String?
  /// Its path without the slash at its end: empty, or `/v2`.
  let path: String

  init(_ base: ResourceURL?) {
    guard let base, let mark = base.text.firstRange(of: "://") else {
      origin = nil
      path = ""
      return
    }
    let rest = base.text[mark.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    origin = String(base.text[..<authority.endIndex])
    let path = rest[authority.endIndex...].prefix { $0 != "?" }
    self.path = String(path.hasSuffix("/") ? path.dropLast() : path)
  }

  /// Whether a path is below it.
  func contains(_ path: String) -> Bool {
    !self.path.isEmpty && (path == self.path || path.hasPrefix(self.path + "/"))
  }

  /// The URLs of the service that a request may stand for, the likeliest first.
  func urls(of request: MockRequest) -> [String] {
    guard let origin else { return [] }
    let whole = origin + request.target
    let below = origin + path + request.target
    if path.isEmpty { return [whole] }
    return contains(request.path) ? [whole, below] : [below, whole]
  }
}
