import CCurl

/// What the multi handles of one provider share: addresses of hosts that have been looked up, and what
/// is in a cookie jar.
///
/// Every easy handle holds it, so that it goes last.
final class CurlShare {
  /// nil if memory runs out; handles then look up addresses each for itself.
  let handle: UnsafeMutableRawPointer?

  init(withCookies: Bool = false) {
    handle = curl_share_init()
    guard let handle else { return }
    ccurl_share_addresses(handle)
    if withCookies { ccurl_share_cookies(handle) }
  }

  deinit {
    if let handle { curl_share_cleanup(handle) }
  }
}
