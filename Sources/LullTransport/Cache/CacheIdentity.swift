import LullCore

/// The identity of a requester in a cache file: a digest, so that no credentials are on the disk.
enum CacheIdentity {
  /// Returns the digest of the headers and credentials that the resource's GET requests are
  /// configured to send, and of user and password in the URL. Headers that do not identify the
  /// requester are ignored.
  ///
  /// - Parameter name: The identity that the script specifies; nil for none.
  /// - Returns: The digest; empty without any of these, nil if no digest can be computed.
  static func digest(of resource: Resource, name: String?) -> [UInt8]? {
    var text = SecretIdentity.text(of: resource)
    if let name { text += "name:\(name)\n" }
    if LogText.userInfo(of: resource.url.text) != nil { text += "url:\(resource.url.text)\n" }
    return text.isEmpty ? [] : Digest.sha256.of("version \(CacheSchema.version)\n" + text)
  }

  /// Whether users who get different responses may have the same digest. That is possible if
  /// requests have cookies, which the digest does not include. It is also possible if they have
  /// credentials from a command, or from a file or variable that is empty now. On one machine, the
  /// same command returns the same credentials, but on another machine it may not. (SCA-16)
  static func isUncertain(of resource: Resource) -> Bool {
    resource.configuration(for: .get).options?.cookies != nil
      || resource.credentials.contains { !SecretIdentity.isKnown($0.value) }
  }
}

/// The key of an entity in a cache file: everything that must match.
package struct CacheKey: Sendable, Hashable {
  /// The URL without user and password, which are part of the identity.
  package let url: String
  package let stage: String
  package let version: Int
  /// The digest of the requester; empty if the response does not depend on the requester.
  package let identity: [UInt8]

  package init(url: String, stage: String, version: Int, identity: [UInt8] = []) {
    self.url = url
    self.stage = stage
    self.version = version
    self.identity = identity
  }

  var values: [SQLiteValue] {
    [.text(url), .text(stage), .integer(Int64(version)), .bytes(identity)]
  }

  /// Host and port, in lower case as in every resource's URL.
  var host: String {
    guard let start = url.firstRange(of: "://")?.upperBound else { return "" }
    let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    return String(url[start..<end])
  }
}

extension FileEntityCache: ComparedCache {
  package var fingerprint: Int { "file \(options)".hashValue }
}

extension SharedEntityCache: ComparedCache {
  package var fingerprint: Int {
    var hasher = Hasher()
    var plain = options
    plain.secret = nil
    hasher.combine("shared \(plain)")
    hasher.combine(options.secret)
    return hasher.finalize()
  }
}
