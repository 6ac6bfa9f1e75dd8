import CCurl

/// What the multi handles of one provider share: addresses of hosts that have been looked up.
///
/// Every easy handle holds it, so that it goes last.
final class CurlShare {
  /// nil if memory runs out; handles then look up addresses each for itself.
  let handle: UnsafeMutableRawPointer?

  init() {
    handle = curl_share_init()
    if let handle { ccurl_share_addresses(handle) }
  }

  deinit {
    if let handle { curl_share_cleanup(handle) }
  }
}
