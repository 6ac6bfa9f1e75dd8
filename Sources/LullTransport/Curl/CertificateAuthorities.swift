import LullLibC

/// Whom TLS connections trust; nil means the system's own certificates.
struct CertificateAuthorities {
  var file: String?
  var directory: String?

  /// `file` if given, else what the environment says, by the names the `curl` command knows.
  init(file: String?) {
    self.file =
      file ?? CertificateAuthorities.environment("CURL_CA_BUNDLE")
      ?? CertificateAuthorities.environment("SSL_CERT_FILE")
    directory = CertificateAuthorities.environment("SSL_CERT_DIR")
  }

  /// That file and nothing else.
  init(onlyFile file: String) { self.file = file }

  private static func environment(_ name: String) -> String? {
    // Copied at once; the environment is changed by nobody in this process.
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }
}
