import CCurl

/// The URL of a curl handle in curl's parsed form. For the next URL of the same origin, only path
/// and query are set: curl would otherwise parse and rebuild the whole URL.
///
/// URLs with a user, a fragment, escapes (which curl would convert to lower case) or bytes outside
/// ASCII are parsed by curl.
struct CurlTarget: ~Copyable {
  /// curl's parsed URL; nil before the first use.
  private var parts: OpaquePointer?
  /// The origin of `parts` as a URL without a path; empty if unknown.
  private var origin = ""
  private var hasQuery = false

  deinit {
    curl_url_cleanup(parts)
  }

  /// Returns the parsed form of `url`, which belongs to `origin`. It is valid until the next call
  /// or the end of this value. Returns nil if curl must parse the text.
  mutating func parts(of url: String, at origin: Origin) -> OpaquePointer? {
    guard isAtOrigin(origin) else { return nil }
    let start = origin.text.utf8.count
    return url.withCString { text in
      let target = text + start
      guard target.pointee == UInt8(ascii: "/") else { return nil }
      var end = 0
      var query: Int?
      while target[end] != 0 {
        let byte = UInt8(bitPattern: target[end])
        guard CurlTarget.isPlain(byte) else { return nil }
        if byte == UInt8(ascii: "?"), query == nil { query = end }
        end += 1
      }
      return setTarget(target, query: query) ? parts : nil
    }
  }

  private mutating func setTarget(_ target: UnsafePointer<CChar>, query: Int?) -> Bool {
    guard let query else {
      if hasQuery, curl_url_set(parts, CURLUPART_QUERY, nil, 0) != CURLUE_OK { return false }
      hasQuery = false
      return curl_url_set(parts, CURLUPART_PATH, target, 0) == CURLUE_OK
    }
    // An empty query is not the same as no query, so curl must parse such a URL.
    guard target[query + 1] != 0,
      curl_url_set(parts, CURLUPART_QUERY, target + query + 1, 0) == CURLUE_OK
    else { return false }
    hasQuery = true
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: query + 1) { path in
      for index in 0..<query { path[index] = target[index] }
      path[query] = 0
      return curl_url_set(parts, CURLUPART_PATH, path.baseAddress, 0) == CURLUE_OK
    }
  }

  private mutating func isAtOrigin(_ origin: Origin) -> Bool {
    if origin.text == self.origin { return true }
    if parts == nil { parts = curl_url() }
    guard let parts else { return false }
    self.origin = ""
    hasQuery = false
    let flags = UInt32(CURLU_PATH_AS_IS)
    guard curl_url_set(parts, CURLUPART_URL, origin.text + "/", flags) == CURLUE_OK else {
      return false
    }
    self.origin = origin.text
    return true
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte > 32 && byte < 127 && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "#")
  }
}
