import CCurl
import LullCore

/// libcurl, which a process loads when its first exchange starts.
enum CurlLibrary {
  /// Why no exchange is possible; nil when libcurl is there, which this sees to.
  static var failure: TransportError? {
    // A text of the library's owner, written once.
    guard let reason = ccurl_load() else { return nil }
    return TransportError(
      .network, "\(String(cString: reason)) (the Debian package is libcurl4)")
  }
}
