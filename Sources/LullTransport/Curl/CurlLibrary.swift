import CCurl
import LullCore
import LullLibC

/// libcurl, which a process loads when its first exchange starts.
enum CurlLibrary {
  /// Loads libcurl. Returns an error if no exchange is possible, or nil.
  static var failure: TransportError? {
    // The text is a constant of the library, so it is valid after the call.
    guard let reason = ccurl_load() else { return nil }
    return TransportError(
      .network, "\(String(cString: reason)) (the Debian package is libcurl4)")
  }
}

/// The certificates that TLS connections trust. If both paths are nil, these are the system's own.
struct CertificateAuthorities {
  var file: String?
  var directory: String?
  /// The environment variable that specifies the file; nil if none does.
  private(set) var variable: String?

  /// Uses `file` if given, else the environment variables that the `curl` command knows.
  init(file: String?) {
    self.file = file
    for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] where self.file == nil {
      self.file = CertificateAuthorities.environment(name)
      if self.file != nil { variable = name }
    }
    directory = CertificateAuthorities.environment("SSL_CERT_DIR")
  }

  /// Uses only the given file.
  init(onlyFile file: String) { self.file = file }

  private static func environment(_ name: String) -> String? {
    // Copied immediately; this process does not change its environment.
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }
}

/// Data that the multi handles of one provider share: resolved addresses, and the content of a
/// cookie jar.
///
/// Every easy handle retains this object, so the object is released after all easy handles.
final class CurlShare {
  /// curl's share object; nil if memory runs out, and then each handle resolves addresses itself.
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

/// The number of files and sockets that this process may open.
enum DescriptorLimit {
  /// The soft limit; 0 if it cannot be read.
  static var current: UInt { UInt(read()?.rlim_cur ?? 0) }

  /// Whether no more files can be opened now.
  static var isReached: Bool {
    let descriptor = open("/", O_RDONLY | O_CLOEXEC)
    if descriptor >= 0 { close(descriptor) }
    return descriptor < 0 && (errno == EMFILE || errno == ENFILE)
  }

  /// Raises the soft limit to the hard limit. The soft limit is often 1,024. Only programs that use
  /// `select` need a limit that low.
  static func raise() {
    guard var limit = read(), limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(CLibrary.openFiles, &limit)
  }

  private static func read() -> rlimit? {
    var limit = rlimit()
    return getrlimit(CLibrary.openFiles, &limit) == 0 ? limit : nil
  }
}

/// URLs as curl's own parser reads them.
enum CurlURL {
  /// Whether curl would connect to the same host and port as Lull: a final check of Lull's own
  /// parser.
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
    // curl returns its own string, ended by a zero byte, freed above.
    return String(cString: value)
  }
}
