import LullCore

/// Who asks, as a cache file may know it: a digest, so that what lets one in is not on the disk.
enum CacheIdentity {
  /// Of the headers and credentials that the resource's GET requests are configured to carry, but for
  /// headers that say nothing of who asks, and of user and password in the URL.
  ///
  /// - Parameter name: what the script says of it besides.
  /// - Returns: empty if there are none; nil if there is no way to make a digest.
  static func digest(of resource: Resource, name: String?) -> [UInt8]? {
    var text = SecretIdentity.text(of: resource)
    if let name { text += "name:\(name)\n" }
    if LogText.userInfo(of: resource.url.text) != nil { text += "url:\(resource.url.text)\n" }
    return text.isEmpty ? [] : Digest.sha256.of("version \(CacheSchema.version)\n" + text)
  }

  /// Whether the digest may be that of several who get different things: by cookies, which it does not count, or by
  /// credentials that only a command knows, or a file or variable that says nothing now. On one machine the
  /// same command says the same; elsewhere it need not. (SCA-16)
  static func isUncertain(of resource: Resource) -> Bool {
    resource.configuration(for: .get).options?.cookies != nil
      || resource.credentials.contains { !SecretIdentity.isKnown($0.value) }
  }
}

/// Where an entity is in a cache file: what must be the same for it to be the one that is looked for.
package struct CacheKey: Sendable, Hashable {
  /// Without user and password, which are part of the identity.
  package let url: String
  package let stage: String
  package let version: Int
  /// Empty: nobody in particular.
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

  /// Host and port, in lower case as they are in every resource's URL.
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
