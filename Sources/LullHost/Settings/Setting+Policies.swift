import CLullBridge
import LullCore

extension Setting {
  /// The settings for retries and limits.
  static let policies: [Setting] = [
    Setting(
      "retry", .retry, at: \.retry,
      SettingDocumentation(
        inObject: .init(
          type: "RetrySettings|integer|boolean|nil",
          summary:
            """
            When a failed request is sent again; reading returns a read-only table, or nil if \
            never.
            """,
          isWritable: true),
        inTable: .init(
          type: "RetrySettings|integer|boolean|nil",
          summary: "When a failed request is sent again: true for the default rules, an integer "
            + "for the maximum number of retries; default never.",
          isWritable: true),
        swift: "Configuration.retry")),
    Setting(
      "rate_limit", .rateLimit, at: \.rateLimit,
      SettingDocumentation(
        inObject: .init(
          type: "RateLimitSettings|false|nil",
          summary:
            "The maximum number of requests in a span of time; reading returns a read-only table.",
          isWritable: true),
        inTable: .init(
          type: "RateLimitSettings|false|nil",
          summary:
            "The maximum number of requests in a span of time, shared by all requests that this "
            + "configuration entry applies to.",
          isWritable: true),
        swift: "Configuration.rateLimit")),
    Setting(
      "concurrency", .concurrency, at: \.concurrency,
      SettingDocumentation(
        inObject: .init(
          type: "integer|false|nil", summary: "The maximum number of requests in flight.",
          isWritable: true),
        inTable: .init(
          type: "integer|false|nil",
          summary:
            """
            The maximum number of requests in flight, shared by all requests that this \
            configuration entry applies to.
            """,
          isWritable: true),
        swift: "Configuration.concurrency")),
  ]
}

extension SettingType<Int?> {
  /// The maximum number of concurrent requests; false or nil for no limit.
  fileprivate static var concurrency: Self {
    Self(
      read: { given throws(Misuse) in
        if given.isOff { return nil }
        let rule = NumberRule.count(from: 1)
        guard let count = given.whole, rule.allows(Double(count)) else {
          throw given.mustBe("\(rule.expectation), or false")
        }
        return count
      }, show: { $0.map { .int(Int64($0)) } })
  }
}
