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
