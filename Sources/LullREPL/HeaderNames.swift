/// Headers of requests that people set, and of answers that they read. (RFC 9110)
enum HeaderNames {
  private static let common = [
    "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Authorization",
    "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language",
    "Content-Length", "Content-Location", "Content-Range", "Content-Type", "Cookie", "Date", "ETag",
    "Expect", "Expires", "Forwarded", "From", "Host", "Idempotency-Key", "If-Match",
    "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Last-Modified",
    "Link", "Location", "Origin", "Prefer", "Range", "Referer", "Retry-After", "Server",
    "Set-Cookie", "TE", "Traceparent", "User-Agent", "Vary", "Via", "WWW-Authenticate", "X-API-Key",
    "X-Correlation-ID", "X-Forwarded-For", "X-Request-ID", "X-Requested-With",
  ]

  /// Those that begin so in any letter case, as far as it is written as it is; all of it in small letters
  /// if that is.
  static func starting(with prefix: String) -> [String] {
    let lower = prefix.lowercased()
    let isSmall = prefix == lower && !prefix.isEmpty
    return common.filter { $0.lowercased().hasPrefix(lower) }
      .map { prefix + (isSmall ? $0.lowercased() : $0).dropFirst(prefix.count) }
  }

  /// Whether a table or field of that name holds headers.
  static func isMeant(by name: String?) -> Bool { name == "headers" }
}
