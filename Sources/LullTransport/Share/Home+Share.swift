extension Home {
  /// Shares limits with other machines by a server, from now on; `nil` ends that.
  ///
  /// Returns at once: it is connected to when a limit is asked for that processes share, and tried again as
  /// often as it is lost. The last call holds. Lua: `lull.share{ … }`.
  ///
  ///     try home.share(Share(url: "redis://cache.internal"))
  ///
  /// - Throws: A `ShareError` if a setting makes no sense; whether the server is there does not matter.
  public func share(_ share: Share?) throws(ShareError) {
    try SharedLimits.share(share, on: pump)
  }
}
