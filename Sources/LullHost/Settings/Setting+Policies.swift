import CLullBridge
import LullCore

extension Setting {
  /// Retries and limits.
  static let policies: [Setting] = [
    Setting(
      "retry", .retry, at: \.retry,
      SettingDocumentation(
        inObject: .init(
          type: "RetrySettings|integer|boolean|nil",
          summary:
            "When a failed request is sent again; reads as a read-only table, nil for never.",
          isWritable: true),
        inTable: .init(
          type: "RetrySettings|integer|boolean|nil",
          summary: "When a failed request is sent again; true: by default, an integer: that often; "
            + "default never.",
          isWritable: true),
        swift: "Configuration.retry")),
    Setting(
      "rate_limit", .rateLimit, at: \.rateLimit,
      SettingDocumentation(
        inObject: .init(
          type: "RateLimitSettings|false|nil",
          summary: "How many requests may be sent in a span of time; reads as a read-only table.",
          isWritable: true),
        inTable: .init(
          type: "RateLimitSettings|false|nil",
          summary: "How many requests may be sent in a span of time; shared by all this entry "
            + "applies to.",
          isWritable: true),
        swift: "Configuration.rateLimit")),
    Setting(
      "concurrency", .concurrency, at: \.concurrency,
      SettingDocumentation(
        inObject: .init(
          type: "integer|false|nil", summary: "How many requests may be under way at once.",
          isWritable: true),
        inTable: .init(
          type: "integer|false|nil",
          summary: "How many requests may be under way at once; shared by all this entry applies "
            + "to.",
          isWritable: true),
        swift: "Configuration.concurrency")),
  ]
}

extension SettingType<Int?> {
  /// How many at once; false, or nothing: any number.
  fileprivate static var concurrency: Self {
    Self(
      read: { given throws(Misuse) in
        if given.isOff { return nil }
        guard let count = given.whole, count >= 1 else {
          throw given.mustBe("a whole number, 1 or more, or false")
        }
        return count
      }, show: { $0.map { .int(Int64($0)) } })
  }
}

extension SettingType<RateLimit?> {
  fileprivate static var rateLimit: Self {
    Self(
      read: { given throws(Misuse) in
        if given.isOff { return nil }
        guard given.isTable else {
          throw given.mustBe("a table such as { requests = 60, per = 60 }, or false")
        }
        var fields = RateLimitFields()
        try given.read(RateLimitFields.all, into: &fields)
        guard let requests = fields.requests else {
          throw given.isMissing("requests", "how many requests")
        }
        guard let per = fields.per else { throw given.isMissing("per", "in how many seconds") }
        return RateLimit(requests: requests, per: per)
      },
      show: { limit in
        limit.map {
          .readOnly(RateLimitFields(requests: $0.requests, per: $0.per), RateLimitFields.all)
        }
      })
  }
}

extension GivenSetting {
  fileprivate func isMissing(_ field: String, _ meaning: String) -> Misuse {
    .message("'\(name)' must say \(meaning): '\(field)' is missing")
  }
}

/// The fields of `rate_limit`, all of which are needed.
struct RateLimitFields {
  var requests: Int?
  var per: Double?

  static let all: [SettingField<RateLimitFields>] = [
    SettingField(
      .field("requests", "integer", "How many requests.", swift: "RateLimit.requests"),
      show: { .int(Int64($0.requests ?? 0)) },
      set: { given, fields throws(Misuse) in
        guard let count = given.whole, count >= 1 else {
          throw given.mustBe("a whole number, 1 or more")
        }
        fields.requests = count
      }),
    SettingField(
      .field("per", "number", "In how many seconds.", swift: "RateLimit.per"),
      show: { .number($0.per ?? 0) },
      set: { given, fields throws(Misuse) in
        guard let seconds = given.value.double, seconds > 0, seconds.isFinite else {
          throw given.mustBe("a number of seconds, more than 0")
        }
        fields.per = seconds
      }),
  ]
}
