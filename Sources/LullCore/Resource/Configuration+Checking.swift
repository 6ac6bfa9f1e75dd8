extension Configuration {
  /// What is wrong with its values first; nil: nothing. (SWF-56)
  var settingProblem: SettingProblem? {
    var check = SettingCheck()
    check.check(headers)
    if case .seconds(let seconds) = expirationTime {
      check.check("expirationTime", seconds, .seconds)
    }
    check.check("retryTime", retryTime, .seconds)
    check.check("progressReportingInterval", progressReportingInterval, .seconds)
    check.check(limits)
    if let options { check.check(options) }
    if let rules = policies?.rules { check.check(rules) }
    return check.problem
  }
}

extension SettingCheck {
  fileprivate mutating func check(_ rules: Policies.Rules) {
    if let retry = rules.retry {
      check("retry.times", retry.times, .count(from: 0))
      for status in retry.statuses { check("retry.statuses", status, .status) }
      check("retry.backoff.base", retry.backoff.base, .seconds)
      check("retry.backoff.max", retry.backoff.max, .seconds)
    }
    if let limit = rules.rateLimit {
      check("rateLimit.requests", limit.requests, .count(from: 1))
      check("rateLimit.per", limit.per, .span)
      for status in limit.free { check("rateLimit.free", status, .status) }
    }
    if let concurrency = rules.concurrency {
      check("concurrency", concurrency, .count(from: 1))
    }
  }
}
