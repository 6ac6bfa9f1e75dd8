extension Configuration {
  /// When a failed request is sent again; nil: never. Lua: `retry`.
  public var retry: RetryPolicy? {
    get { policies?.rules.retry }
    set { changePolicies { $0.retry = newValue } }
  }

  /// How many requests may be sent in a span of time; nil: any number. Lua: `rate_limit`.
  ///
  /// The limit belongs to the block that sets it: all requests it applies to share it, whatever their
  /// resource. A later block's limit takes its place for the resources that one matches.
  public var rateLimit: RateLimit? {
    get { policies?.rules.rateLimit }
    set { changePolicies { $0.rateLimit = newValue } }
  }

  /// How many requests may be under way at once; nil: any number. Lua: `concurrency`.
  ///
  /// Shared like `rateLimit`. With fewer than 1, requests fail unsent.
  public var concurrency: Int? {
    get { policies?.rules.concurrency }
    set { changePolicies { $0.concurrency = newValue } }
  }

  /// What puts credentials on requests. An `Auth` that needs requests of its own.
  package var authStage: (any AuthStage)? {
    get { policies?.rules.authStage }
    set { changePolicies { $0.authStage = newValue } }
  }

  package mutating func changePolicies<Failure: Error>(
    _ change: (inout Policies.Rules) throws(Failure) -> Void
  ) throws(Failure) {
    var rules = policies?.rules ?? Policies.Rules()
    try change(&rules)
    policies = rules.isEmpty ? nil : Policies(rules)
  }
}
