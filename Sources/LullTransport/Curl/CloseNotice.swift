import CCurl

/// Whether the server has announced the end of a TLS connection by the alert close_notify.
///
/// Made for a body that ends with its connection, when its head is complete. Without the alert the body
/// may have been cut by anything between here and the server. (RFC 9112, 9.8)
final class CloseNotice {
  private let notice: OpaquePointer

  /// Watches the connection that a curl handle uses at present; nil without TLS, or if libcurl uses a
  /// TLS library other than OpenSSL, which does not report the alert.
  init?(of handle: UnsafeMutableRawPointer) {
    guard let notice = ccurl_close_notice_watch(handle) else { return nil }
    self.notice = notice
  }

  deinit { ccurl_close_notice_release(notice) }

  var hasCome: Bool { ccurl_close_notice_came(notice) != 0 }
}
