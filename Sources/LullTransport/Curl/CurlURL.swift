import CCurl
import LullCore

/// What curl's own parser makes of a URL.
enum CurlURL {
  /// Whether curl would connect where this says: a last look at what has been read and written by us.
  static func agrees(with origin: Origin) -> Bool {
    guard let url = curl_url() else { return false }
    defer { curl_url_cleanup(url) }
    guard curl_url_set(url, CURLUPART_URL, origin.text + "/", UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK
    else { return false }
    let host = origin.host.hasPrefix("[") ? origin.hostWithoutZone : origin.host
    return part(url, CURLUPART_SCHEME) == origin.scheme && part(url, CURLUPART_HOST) == host
      && part(url, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)) == origin.port
      && part(url, CURLUPART_USER) == nil
  }

  private static func part(_ url: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String?
  {
    var value: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &value, flags) == CURLUE_OK, let value else { return nil }
    defer { curl_free(value) }
    // curl gives a string of its own, ended by a zero byte, freed above.
    return String(cString: value)
  }
}
