import CCurl

/// A URL in curl's own parser, so that what is compared here is what curl connects to.
final class CurlURL {
  private let url: OpaquePointer

  /// nil if `text` is no absolute URL of a scheme curl knows.
  init?(_ text: String) {
    guard let url = curl_url() else { return nil }
    self.url = url
    guard curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK else { return nil }
  }

  deinit {
    curl_url_cleanup(url)
  }

  /// The whole URL; nil only if memory runs out.
  var text: String? { part(CURLUPART_URL) }

  /// Scheme, host and port, lower-case; nil unless the scheme is http or https.
  var origin: Origin? {
    guard let scheme = part(CURLUPART_SCHEME)?.lowercased(), scheme == "http" || scheme == "https",
      let host = part(CURLUPART_HOST)?.lowercased(), !host.isEmpty,
      let port = part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))
    else { return nil }
    return Origin(scheme: scheme, host: host, port: port)
  }

  /// Turns this URL into the one that `location` means here; false if it is no URL.
  func resolve(_ location: String) -> Bool {
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
    return curl_url_set(url, CURLUPART_URL, location, flags) == CURLUE_OK
  }

  /// Takes over user and password from `other` unless this one names some.
  func inheritCredentials(from other: CurlURL) {
    guard part(CURLUPART_USER) == nil, let user = other.part(CURLUPART_USER) else { return }
    curl_url_set(url, CURLUPART_USER, user, 0)
    if let password = other.part(CURLUPART_PASSWORD) {
      curl_url_set(url, CURLUPART_PASSWORD, password, 0)
    }
  }

  /// The URL without user and password, for people to read.
  static func withoutCredentials(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
    guard let url = CurlURL(text) else { return "(a URL that cannot be read)" }
    curl_url_set(url.url, CURLUPART_USER, nil, 0)
    curl_url_set(url.url, CURLUPART_PASSWORD, nil, 0)
    return url.text ?? ""
  }

  private func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
    var value: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &value, flags) == CURLUE_OK, let value else { return nil }
    defer { curl_free(value) }
    // curl gives a string of its own, ended by a zero byte, freed above.
    return String(cString: value)
  }
}
