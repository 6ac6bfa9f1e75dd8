/// What one configuration says of limits, credentials and retries; nil in those that say nothing.
///
/// Immutable: an assignment to a setting makes another one, so that configurations stay values.
package final class Policies {
  package struct Rules {
    var retry: RetryPolicy?
    package var authStage: (any AuthStage)?
    var rateLimit: RateLimit? {
      didSet { sharedRate = nil }
    }
    var concurrency: Int? {
      didSet { sharedPlaces = nil }
    }
    /// What is shared with everybody who is configured by the same block; nil until that is known.
    var sharedRate: SharedLimit?
    var sharedPlaces: SharedLimit?
    /// Where requests wait for both.
    var lane: LimitLane?

    init() {}

    var isEmpty: Bool { retry == nil && authStage == nil && rateLimit == nil && concurrency == nil }
  }

  package let rules: Rules

  init(_ rules: Rules) {
    self.rules = rules
  }
}

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
  /// Shared like `rateLimit`. At least one is let through.
  public var concurrency: Int? {
    get { policies?.rules.concurrency }
    set { changePolicies { $0.concurrency = newValue.map { max(1, $0) } } }
  }

  /// What puts credentials on requests. An `Auth` that needs requests of its own.
  package var authStage: (any AuthStage)? {
    get { policies?.rules.authStage }
    set { changePolicies { $0.authStage = newValue } }
  }

  package mutating func changePolicies(_ change: (inout Policies.Rules) -> Void) {
    var rules = policies?.rules ?? Policies.Rules()
    change(&rules)
    policies = rules.isEmpty ? nil : Policies(rules)
  }
}

extension Policies.Rules {
  /// As logs show them.
  package var descriptions: [String] {
    var texts: [String] = []
    if let retry {
      let causes = retry.statuses.sorted().map { "\($0)" } + retry.errors.map(\.rawValue).sorted()
      texts.append("retries: \(retry.times) on \(causes.joined(separator: ", "))")
    }
    if let lane { texts.append("limits: \(lane.description)") }
    return texts
  }
}
