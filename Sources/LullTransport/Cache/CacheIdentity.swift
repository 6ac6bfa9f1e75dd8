import LullCore

/// The identity of a requester in a cache file: a digest, so that no credentials are on the disk.
enum CacheIdentity {
  /// Returns the digest of the headers and credentials that the resource's GET requests are
  /// configured to send, and of user and password in the URL. Headers that do not identify the
  /// requester are ignored.
  ///
  /// - Parameter name: The identity that the script specifies; nil for none.
  /// - Returns: The digest. It is empty if there is nothing that identifies the requester, and nil
  ///   if no digest can be computed.
  static func digest(of resource: Resource, name: String?) -> [UInt8]? {
    var text = SecretIdentity.text(of: resource)
    if let name { text += "name:\(name)\n" }
    if LogText.userInfo(of: resource.url.text) != nil { text += "url:\(resource.url.text)\n" }
    return text.isEmpty ? [] : Digest.sha256.of("version \(CacheSchema.version)\n" + text)
  }

  /// Whether users who get different responses may have the same digest. There are two cases:
  /// - Requests have cookies, which the digest does not include.
  /// - Requests have credentials from a command, or from a file or variable that is empty now. On
  ///   one machine, the same command returns the same credentials, but on another machine it may
  ///   not. (SCA-16)
  static func isUncertain(of resource: Resource) -> Bool {
    resource.configuration.options?.cookies != nil
      || resource.credentials.contains { !SecretIdentity.isKnown($0.value) }
  }
}

/// The key of an entity in a cache file. All values of the key must match.
package struct CacheKey: Sendable, Hashable {
  /// The URL without user and password, which are part of the identity.
  package let url: String
  /// Method and digest of a query; empty for the entity of a GET request. (QUERY-16)
  package let query: String
  package let stage: String
  package let version: Int
  /// The digest of the requester; empty if the response does not depend on the requester.
  package let identity: [UInt8]

  package init(
    url: String, query: String = "", stage: String, version: Int, identity: [UInt8] = []
  ) {
    self.url = url
    self.query = query
    self.stage = stage
    self.version = version
    self.identity = identity
  }

  /// The key of a resource; nil if no digest can be computed.
  init?(_ resource: Resource, stage: PipelineStageKey, version: Int, identityName: String?) {
    guard let identity = CacheIdentity.digest(of: resource, name: identityName) else { return nil }
    var query = ""
    if let content = resource.query?.identity {
      guard let mark = content.mark else { return nil }
      query = mark
    }
    self.init(
      url: LogText.withoutUser(resource.url.text), query: query, stage: stage.description,
      version: version, identity: identity)
  }

  /// The key of the entity that a GET request of the same URL loads.
  var withoutQuery: CacheKey {
    CacheKey(url: url, stage: stage, version: version, identity: identity)
  }

  /// URL and query in one text. A URL contains no space.
  package var address: String { query.isEmpty ? url : url + " " + query }

  /// A key for an address from a file.
  package init(address: String, stage: String, version: Int, identity: [UInt8]) {
    let parts = address.split(separator: " ", maxSplits: 1)
    self.init(
      url: parts.first.map { String($0) } ?? "",
      query: parts.count > 1 ? String(parts[1]) : "", stage: stage, version: version,
      identity: identity)
  }

  var values: [SQLiteValue] {
    [.text(address), .text(stage), .integer(Int64(version)), .bytes(identity)]
  }

  /// Host and port, in lower case as in every resource's URL.
  var host: String {
    guard let start = url.firstRange(of: "://")?.upperBound else { return "" }
    let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    return String(url[start..<end])
  }
}

extension QueryIdentity {
  /// Method and digest, by which caches distinguish the queries of one URL; nil if no digest can be
  /// computed. (QUERY-16)
  package var mark: String? {
    Digest.sha256.of(text).map { "\(method) \(Hexadecimal.text($0))" }
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
