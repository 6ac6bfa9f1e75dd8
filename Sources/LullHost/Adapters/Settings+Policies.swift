import CLullBridge
import LullCore

/// `retry`, `rate_limit` and `concurrency`: reading and writing them as Lua values.
extension Setting {
  func policy(in settings: Configuration) -> LuaValue? {
    switch self {
    case .retry: settings.retry.map { Setting.value($0) }
    case .rateLimit:
      settings.rateLimit.map {
        .readOnly([("requests", .int(Int64($0.requests))), ("per", .number($0.per))])
      }
    case .concurrency: settings.concurrency.map { .int(Int64($0)) }
    default: nil
    }
  }

  /// False, or nil where it can be given, takes the policy away.
  func policyChange(_ call: Call, _ value: lull_value, _ index: Int32) throws(Misuse)
    -> (inout Configuration) -> Void
  {
    let isOff = value.kind == Int32(LULL_NIL) || value.bool == false
    switch self {
    case .retry:
      let retry = isOff ? nil : try retry(call, value, index)
      return { $0.retry = retry }
    case .rateLimit:
      let limit = isOff ? nil : try rateLimit(call, value, index)
      return { $0.rateLimit = limit }
    default:
      let count = isOff ? nil : try concurrency(value)
      return { $0.concurrency = count }
    }
  }

  // MARK: Limits

  private func concurrency(_ value: lull_value) throws(Misuse) -> Int {
    guard let count = Setting.whole(value), count >= 1 else {
      throw mustBe("a whole number, 1 or more, or false", value)
    }
    return count
  }

  private func rateLimit(_ call: Call, _ value: lull_value, _ index: Int32) throws(Misuse)
    -> RateLimit
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw mustBe("a table such as { requests = 60, per = 60 }, or false", value)
    }
    var requests: Int?
    var per: Double?
    try call.reading.options.forEach(
      of: index, in: call.state, known: ["requests", "per"], owner: rawValue
    ) {
      name, field throws(Misuse) in
      if name == "requests" {
        guard let count = Setting.whole(field), count >= 1 else {
          throw mustBe("a whole number, 1 or more", field, field: name)
        }
        requests = count
      } else {
        guard let seconds = field.double, seconds > 0, seconds.isFinite else {
          throw mustBe("a number of seconds, more than 0", field, field: name)
        }
        per = seconds
      }
    }
    guard let requests else { throw missing("requests", "how many requests") }
    guard let per else { throw missing("per", "in how many seconds") }
    return RateLimit(requests: requests, per: per)
  }

  private func missing(_ field: String, _ meaning: String) -> Misuse {
    .message("'\(rawValue)' must say \(meaning): '\(field)' is missing")
  }

  // MARK: Retry

  private func retry(_ call: Call, _ value: lull_value, _ index: Int32) throws(Misuse)
    -> RetryPolicy?
  {
    var policy = RetryPolicy()
    if value.bool == true { return policy }
    if let times = Setting.whole(value), times >= 0 {
      policy.times = times
      return times == 0 ? nil : policy
    }
    guard value.kind == Int32(LULL_TABLE) else {
      throw mustBe("a table such as { times = 3 }, a whole number, or false", value)
    }
    let host = call.host
    try host.reading.options.forEach(
      of: index, in: call.state, known: ["times", "on", "backoff", "unsafe"], owner: rawValue
    ) { name, field throws(Misuse) in
      switch name {
      case "times":
        guard let times = Setting.whole(field), times >= 0 else {
          throw mustBe("a whole number, 0 or more", field, field: name)
        }
        policy.times = times
      case "on":
        policy.statuses = []
        policy.errors = []
        guard field.kind == Int32(LULL_TABLE) else { return try add(field, to: &policy) }
        try LuaTable(LuaTable.visitedIndex(in: call.state), in: call.state).forEachField {
          key, element throws(Misuse) in
          guard key.kind == Int32(LULL_INTEGER) else {
            throw mustBeRetryList("the field \(key.described)")
          }
          try add(element, to: &policy)
        }
      case "backoff":
        guard field.kind == Int32(LULL_TABLE) else {
          throw mustBe(
            "a table such as { base = 0.5, max = 30, jitter = true }", field, field: name)
        }
        policy.backoff = try backoff(call, LuaTable.visitedIndex(in: call.state))
      default:
        guard let isUnsafe = field.bool else {
          throw mustBe("true or false", field, field: name)
        }
        policy.isUnsafe = isUnsafe
      }
    }
    return policy
  }

  private func add(_ element: lull_value, to policy: inout RetryPolicy) throws(Misuse) {
    if let status = Setting.whole(element), (100...599).contains(status) {
      policy.statuses.insert(status)
    } else if let word = element.string, let kinds = Setting.retryWords[word] {
      policy.errors.formUnion(kinds)
    } else {
      throw mustBeRetryList(element.described)
    }
  }

  private func mustBeRetryList(_ found: String) -> Misuse {
    let known = Setting.retryWords.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
    return .message(
      "'\(rawValue).on' must be a list of statuses (100 to 599) and words (\(known)), got \(found)")
  }

  private func backoff(_ call: Call, _ index: Int32) throws(Misuse) -> Backoff {
    var backoff = Backoff()
    try call.reading.options.forEach(
      of: index, in: call.state, known: ["base", "max", "jitter"], owner: "\(rawValue).backoff"
    ) {
      name, field throws(Misuse) in
      if name == "jitter" {
        guard let hasJitter = field.bool else {
          throw mustBe("true or false", field, field: "backoff.jitter")
        }
        return backoff.hasJitter = hasJitter
      }
      guard let seconds = field.double, seconds >= 0 else {
        throw mustBe("a number of seconds, 0 or more", field, field: "backoff.\(name)")
      }
      if name == "base" { backoff.base = seconds } else { backoff.max = seconds }
    }
    return backoff
  }

  /// `"network"` is every failure that may be over a moment later; the others are single kinds.
  private static let retryWords: [String: Set<TransportError.Kind>] = {
    var words: [String: Set<TransportError.Kind>] = ["network": RetryPolicy.passingErrors]
    for kind in [.timeout, .dns, .connection, .truncatedBody, .tls, .malformedResponse]
      as [TransportError.Kind]
    {
      words[kind.rawValue] = [kind]
    }
    return words
  }()

  private static func value(_ retry: RetryPolicy) -> LuaValue {
    let isNetwork = retry.errors.isSuperset(of: RetryPolicy.passingErrors)
    let single = isNetwork ? retry.errors.subtracting(RetryPolicy.passingErrors) : retry.errors
    let words = (isNetwork ? ["network"] : []) + single.map(\.rawValue).sorted()
    let backoff = retry.backoff
    return .readOnly([
      ("times", .int(Int64(retry.times))),
      ("on", .list(retry.statuses.sorted().map { .int(Int64($0)) } + words.map { .string($0) })),
      (
        "backoff",
        .readOnly([
          ("base", .number(backoff.base)), ("max", .number(backoff.max)),
          ("jitter", .bool(backoff.hasJitter)),
        ])
      ),
      ("unsafe", .bool(retry.isUnsafe)),
    ])
  }

  // MARK: Reading

  private static func whole(_ value: lull_value) -> Int? {
    value.double.flatMap { Int(exactly: $0) }
  }

  private func mustBe(_ expectation: String, _ value: lull_value, field: String) -> Misuse {
    .message("'\(rawValue).\(field)' must be \(expectation), got \(value.described)")
  }
}

extension LuaHost {
  /// `request.attempts`: a list of tables, the latest attempt last.
  static func list(_ attempts: [RequestAttempt]) -> LuaValue {
    .list(
      attempts.map { attempt in
        var fields: [(String, LuaValue)] = [
          ("number", .int(Int64(attempt.number))), ("started", .number(attempt.started)),
          ("delay", .number(attempt.delay)),
        ]
        if let elapsed = attempt.elapsed { fields.append(("elapsed", .number(elapsed))) }
        switch attempt.outcome {
        case .status(let status): fields.append(("status", .int(Int64(status))))
        case .failure(let kind): fields.append(("error", .string(kind.rawValue)))
        case nil: break
        }
        return .map(fields)
      })
  }
}
