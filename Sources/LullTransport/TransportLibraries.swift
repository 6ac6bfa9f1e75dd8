import CCompression
import CCrypto
import CCurl
import CHiredis
import CSQLite
import CUV
package import LullSystem

/// The versions of the libraries that the transport uses. Reading the versions loads the libraries.
/// Any thread.
package enum TransportLibraries {
  package static var versions: [LibraryVersion] {
    [
      LibraryVersion("libuv", for: "everything", debian: "libuv1") { _ in uv_version_string() },
      LibraryVersion("libcurl", for: "requests", debian: "libcurl4") { problem in
        problem = ccurl_load()
        return curl_version_info(CURLVERSION_FIRST)?.pointee.version
      },
      LibraryVersion("OpenSSL", for: "digests and sealed caches", debian: "libssl3") {
        ccrypto_version(&$0)
      },
      LibraryVersion("SQLite", for: "caches and shared limits", debian: "libsqlite3-0") {
        csqlite_version(&$0)
      },
      LibraryVersion("hiredis", for: "lull.share", debian: "libhiredis0.14") {
        chiredis_version(&$0)
      },
      LibraryVersion("zlib", for: "gzip bodies", debian: "zlib1g") {
        ccompression_version(CCOMPRESSION_GZIP, &$0)
      },
      LibraryVersion("brotli", for: "br bodies", debian: "libbrotli1") {
        ccompression_version(CCOMPRESSION_BROTLI, &$0)
      },
      LibraryVersion("zstd", for: "zstd bodies", debian: "libzstd1") {
        ccompression_version(CCOMPRESSION_ZSTD, &$0)
      },
    ]
  }

  /// The certificates that TLS connections trust by default, and the variable or library that
  /// specifies them.
  package static var certificates: (file: String?, folder: String?, origin: String) {
    let chosen = CertificateAuthorities(file: nil)
    if let variable = chosen.variable { return (chosen.file, chosen.directory, variable) }
    // The result is static data of the library.
    let info = curl_version_info(CURLVERSION_SEVENTH)?.pointee
    return (
      info?.cainfo.map { String(cString: $0) },
      chosen.directory ?? info?.capath.map { String(cString: $0) }, "libcurl"
    )
  }
}
