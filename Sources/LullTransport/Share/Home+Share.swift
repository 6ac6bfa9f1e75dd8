extension Home {
  /// Shares with other machines by a server, from now on: limits that processes share, OAuth 2 tokens whose client
  /// has a credential, what a `SharedEntityCache` keeps, and news of that; `nil` ends that.
  ///
  /// Returns at once: it is connected to when one of these asks for something, and tried again as often as it is
  /// lost; without it each machine goes on by its own files. The last call holds. Lua: `lull.share{ … }`.
  ///
  ///     try home.share(Share(url: "redis://cache.internal"))
  ///
  /// - Throws: A `ShareError` if a setting makes no sense; whether the server is there does not matter.
  public func share(_ share: Share?) throws(ShareError) {
    try SharedLimits.share(share, on: pump)
  }
}
