import CLullBridge
import LullCore

extension SettingType<RateLimit?> {
  static var rateLimit: Self {
    Self(
      read: { given throws(Misuse) in
        if given.isOff { return nil }
        guard given.isTable else {
          throw given.mustBe("a table such as { requests = 60, per = 60 }, or false")
        }
        var fields = RateLimitFields()
        try given.read(RateLimitFields.all, into: &fields)
        guard let requests = fields.requests else {
          throw given.isMissing("requests", "the number of requests")
        }
        guard let per = fields.per else { throw given.isMissing("per", "a number of seconds") }
        return RateLimit(
          requests: requests, per: per, scope: fields.scope, learns: fields.learns,
          free: fields.free, strict: fields.strict)
      },
      show: { limit in limit.map { .readOnly(RateLimitFields($0), RateLimitFields.all) } })
  }
}

extension GivenSetting {
  fileprivate func isMissing(_ field: String, _ meaning: String) -> Misuse {
    .message("'\(name)' needs '\(field)': \(meaning)")
  }

  /// Reads the value, which is one HTTP status or a list of statuses.
  fileprivate func statuses() throws(Misuse) -> Set<Int> {
    func status(_ value: lull_value) throws(Misuse) -> Int {
      guard let number = value.double, NumberRule.status.allows(number),
        let status = Int(exactly: number)
      else {
        throw .message("'\(name)' must be a list of statuses (100 to 599), got \(value.described)")
      }
      return status
    }
    guard isTable else { return [try status(value)] }
    var statuses: Set<Int> = []
    try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER) else {
        throw .message("'\(name)' must be a list of statuses, got the field \(key.described)")
      }
      statuses.insert(try status(element))
    }
    return statuses
  }

  /// Returns the scope of the limit. The limit applies to the requests of this configuration entry,
  /// to the requests of all processes, or together with all other limits that have the same name.
  fileprivate func scope() throws(Misuse) -> RateLimit.Scope {
    let scope: RateLimit.Scope
    switch (value.bool, value.string) {
    case (false?, _): return .block
    case (true?, _): scope = .processes
    case (nil, let name?) where !name.isEmpty: scope = .named(name)
    default: throw mustBe("true, false or a name")
    }
    try call.permissions.refuseUnlessInspecting("a rate limit that processes share")
    return scope
  }
}

/// The values of the fields of the setting `rate_limit`.
struct RateLimitFields {
  var requests: Int?
  var per: Double?
  var scope = RateLimit.Scope.block
  var learns = false
  var free: Set<Int> = []
  var strict = false

  init() {}

  init(_ limit: RateLimit) {
    requests = limit.requests
    per = limit.per
    scope = limit.scope
    learns = limit.learns
    free = limit.free
    strict = limit.strict
  }

  static let all: [SettingField<RateLimitFields>] = [
    SettingField(
      .field(
        "requests", "integer", "The maximum number of requests in any span of `per` seconds.",
        swift: "RateLimit.requests"),
      show: { .int(Int64($0.requests ?? 0)) },
      set: { given, fields throws(Misuse) in
        fields.requests = try given.count(minimum: 1)
      }),
    SettingField(
      .field(
        "per", "number",
        "The length of the span, in seconds, in which at most `requests` are sent.",
        swift: "RateLimit.per"),
      show: { .number($0.per ?? 0) },
      set: { given, fields throws(Misuse) in
        fields.per = try given.number(.span)
      }),
    SettingField(
      .field(
        "shared", "boolean|string|nil",
        """
        Whether all processes of this user on this machine share the limit: true shares it among \
        requests to the same origin with the same credentials and pattern, a name among all limits \
        with that name; default false.
        """,
        swift: "RateLimit.scope"),
      show: { fields in
        switch fields.scope {
        case .block: .bool(false)
        case .processes: .bool(true)
        case .named(let name): .string(name)
        }
      },
      set: { given, fields throws(Misuse) in fields.scope = try given.scope() }),
    SettingField(
      .field(
        "learn", "boolean?",
        """
        Whether headers of the server lower the limit: `RateLimit`, `X-RateLimit-Remaining`, \
        `X-RateLimit-Reset` and similar headers, and `Retry-After` of responses with status 403, \
        429 or 503; default false.
        """,
        swift: "RateLimit.learns"),
      show: { .bool($0.learns) },
      set: { given, fields throws(Misuse) in fields.learns = try given.flag() }),
    SettingField(
      .field(
        "free", "integer|integer[]|nil",
        """
        Statuses of responses whose requests the server does not count towards the limit, such as \
        304; default none.
        """,
        swift: "RateLimit.free"),
      show: { .list($0.free.sorted().map { .int(Int64($0)) }) },
      set: { given, fields throws(Misuse) in fields.free = try given.statuses() }),
    SettingField(
      .field(
        "strict", "boolean?",
        """
        Whether a slot is released `per` seconds after the response headers arrived or the request \
        failed, instead of `per` seconds after the last byte of the request was sent. With true, \
        even delays in transit cannot make more than `requests` arrive within a span, but each \
        span takes one more round trip. Default false.
        """,
        swift: "RateLimit.strict"),
      show: { .bool($0.strict) },
      set: { given, fields throws(Misuse) in fields.strict = try given.flag() }),
  ]
}
