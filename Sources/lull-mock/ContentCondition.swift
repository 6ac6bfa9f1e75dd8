import LullClients
import LullCore
import LullTransport

/// Conditional requests, so that clients can revalidate their caches. (RFC 9110, section 13)
enum ContentCondition {
  /// The headers that a 304 response keeps. (RFC 9110, section 15.4.5)
  private static let kept: Set<String> = [
    "cache-control", "content-location", "etag", "expires", "vary", "set-cookie", "last-modified",
  ]

  /// Adds a validator to a successful response. Omits the content if the client already has it.
  ///
  /// - Parameter isQuery: Whether the request reads with a body. (QUERY-46)
  static func apply(_ request: MockRequest, isQuery: Bool, to answer: inout MockAnswer) {
    guard isQuery || ["GET", "HEAD", "QUERY"].contains(request.method), answer.status == 200
    else { return }
    if answer.headers["etag"] == nil, let tag = tag(of: answer.body) {
      answer.headers["etag"] = tag
    }
    guard isKnown(request, answer.headers) else { return }
    var headers = Headers()
    for (name, value) in answer.headers.bytePairs
    where kept.contains(String(escaping: name).lowercased()) {
      headers.add(String(escaping: name), bytes: value)
    }
    // The body only determines the Content-Length. A 304 response is sent without a body.
    answer = MockAnswer(status: 304, headers: headers, body: answer.body)
  }

  private static func isKnown(_ request: MockRequest, _ headers: Headers) -> Bool {
    if let known = request.header("if-none-match") {
      guard let tag = headers["etag"] else { return false }
      return known == "*" || tags(known).contains(withoutWeakness(tag))
    }
    guard let since = request.header("if-modified-since"), let last = headers["last-modified"],
      let known = HTTPDate.parse(since, now: 0), let changed = HTTPDate.parse(last, now: 0)
    else { return false }
    return changed <= known
  }

  /// Splits an If-None-Match header into tags. A tag is a text in quotes, which may contain commas.
  private static func tags(_ text: String) -> [String] {
    var tags: [String] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "\"") {
      let inside = rest[rest.index(after: open)...]
      guard let close = inside.firstIndex(of: "\"") else { break }
      tags.append(String(rest[open...close]))
      rest = inside[inside.index(after: close)...]
    }
    return tags
  }

  private static func withoutWeakness(_ tag: String) -> String {
    tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
  }

  /// Returns the tag for a body. `nil` if the system has no library for the digest.
  private static func tag(of body: [UInt8]) -> String? {
    body.withUnsafeBufferPointer { Digest.sha256.of($0) }.map {
      "\"\(Hexadecimal.text($0.prefix(12)))\""
    }
  }
}
