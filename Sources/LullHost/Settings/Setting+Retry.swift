import CLullBridge
import LullCore

extension SettingType<RetryPolicy?> {
  /// The setting `retry`. Its value is true for the default policy, a number of retries, a table
  /// with the fields of a policy, or false or nil for no retries.
  static var retry: Self {
    Self(
      read: { given throws(Misuse) in
        if given.isOff { return nil }
        var policy = RetryPolicy()
        if given.value.bool == true { return policy }
        if let times = given.whole, times >= 0 {
          policy.times = times
          return times == 0 ? nil : policy
        }
        guard given.isTable else {
          throw given.mustBe("a table such as { times = 3 }, a whole number, or false")
        }
        try given.read(RetryPolicy.fields, into: &policy)
        return policy
      }, show: { $0.map { .readOnly($0, RetryPolicy.fields) } })
  }
}

extension RetryPolicy {
  /// The fields of the setting `retry`.
  static let fields: [SettingField<RetryPolicy>] = [
    SettingField(
      .field(
        "times", "integer?", "The maximum number of retries; default 3, so 4 attempts in total.",
        swift: "RetryPolicy.times"),
      show: { .int(Int64($0.times)) },
      set: { given, policy throws(Misuse) in
        policy.times = try given.count(minimum: 0)
      }),
    SettingField(
      .field(
        "on", "(integer|string)[]|integer|string|nil",
        """
        The HTTP statuses and kinds of failure after which a request is sent again. The kinds are \
        `timeout`, `dns`, `connection`, `truncated_body`, `tls`, `malformed_response`, and \
        `network` for all failures that may be temporary. Default `{ 429, 502, 503, 504, "network" \
        }`.
        """,
        swift: "RetryPolicy.statuses"),
      show: { .list($0.causes) },
      set: { given, policy throws(Misuse) in try given.readCauses(into: &policy) }),
    SettingField(
      .field(
        "backoff", "BackoffSettings?",
        "How long to wait between attempts.", swift: "RetryPolicy.backoff"),
      show: { .readOnly($0.backoff, Backoff.fields) },
      set: { given, policy throws(Misuse) in
        guard given.isTable else {
          throw given.mustBe("a table such as { base = 0.5, max = 30, jitter = true }")
        }
        policy.backoff = Backoff()
        try given.read(Backoff.fields, into: &policy.backoff)
      }),
    SettingField(
      .field(
        "unsafe", "boolean?",
        """
        Whether requests with methods that are not idempotent, such as POST and PATCH, are sent \
        again too; default false.
        """,
        swift: "RetryPolicy.isUnsafe"),
      show: { .bool($0.isUnsafe) },
      set: { given, policy throws(Misuse) in policy.isUnsafe = try given.flag() }),
  ]

  /// The kinds of failure for each string in the field `on`. `"network"` means every failure that
  /// may be temporary. Each other string means a single kind of failure.
  fileprivate static let words: [String: Set<TransportError.Kind>] = {
    var words: [String: Set<TransportError.Kind>] = ["network": RetryPolicy.passingErrors]
    for kind in [.timeout, .dns, .connection, .truncatedBody, .tls, .malformedResponse]
      as [TransportError.Kind]
    {
      words[kind.rawValue] = [kind]
    }
    return words
  }()

  /// The values in the field `on`: first the statuses, then the strings for kinds of failure.
  private var causes: [LuaValue] {
    let isNetwork = errors.isSuperset(of: RetryPolicy.passingErrors)
    let single = isNetwork ? errors.subtracting(RetryPolicy.passingErrors) : errors
    let words = (isNetwork ? ["network"] : []) + single.map(\.rawValue).sorted()
    return statuses.sorted().map { .int(Int64($0)) } + words.map { .string($0) }
  }
}

extension Backoff {
  /// The fields of `backoff` in the setting `retry`.
  static let fields: [SettingField<Backoff>] = [
    SettingField(
      .field(
        "base", "number?",
        """
        The wait before the first retry, in seconds, which doubles for each further retry; default \
        0.5.
        """,
        swift: "Backoff.base"),
      show: { .number($0.base) },
      set: { given, backoff throws(Misuse) in backoff.base = try given.seconds() }),
    SettingField(
      .field(
        "max", "number?", "The longest wait, also for `Retry-After`, in seconds; default 30.",
        swift: "Backoff.max"),
      show: { .number($0.max) },
      set: { given, backoff throws(Misuse) in backoff.max = try given.seconds() }),
    SettingField(
      .field(
        "jitter", "boolean?",
        """
        Whether each wait is a random part of the computed wait instead of the whole; default \
        true.
        """,
        swift: "Backoff.hasJitter"),
      show: { .bool($0.hasJitter) },
      set: { given, backoff throws(Misuse) in backoff.hasJitter = try given.flag() }),
  ]
}

extension GivenSetting {
  /// Reads the field `on`, which is an HTTP status, a string for a kind of failure, or a list of
  /// statuses and strings.
  fileprivate func readCauses(into policy: inout RetryPolicy) throws(Misuse) {
    policy.statuses = []
    policy.errors = []
    guard isTable else { return try add(value, to: &policy) }
    try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER) else {
        throw mustBeCauses("the field \(key.described)")
      }
      try add(element, to: &policy)
    }
  }

  private func add(_ element: lull_value, to policy: inout RetryPolicy) throws(Misuse) {
    let number = element.double.flatMap { NumberRule.status.allows($0) ? $0 : nil }
    if let status = number.flatMap({ Int(exactly: $0) }) {
      policy.statuses.insert(status)
    } else if let word = element.string, let kinds = RetryPolicy.words[word] {
      policy.errors.formUnion(kinds)
    } else {
      throw mustBeCauses(element.described)
    }
  }

  private func mustBeCauses(_ found: String) -> Misuse {
    let known = RetryPolicy.words.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
    return .message(
      "'\(name)' must be a list of statuses (100 to 599) and words (\(known)), got \(found)")
  }
}
