/// What one configuration says of limits, credentials and retries; nil in those that say nothing.
///
/// Immutable: an assignment to a setting makes another one, so that configurations stay values.
package final class Policies {
  package struct Rules {
    var retry: RetryPolicy?
    package var authStage: (any AuthStage)?
    var rateLimit: RateLimit? {
      didSet {
        sharedRate = nil
        ratePattern = nil
      }
    }
    var concurrency: Int? {
      didSet { sharedPlaces = nil }
    }
    /// What is shared with everybody who is configured by the same block; nil until that is known.
    var sharedRate: SharedLimit?
    var sharedPlaces: SharedLimit?
    /// The pattern of the block that has set a limit which processes share: which count it is, depends on
    /// the request as well.
    var ratePattern: String?
    /// Where requests wait for both.
    var queue: LimitQueue?

    init() {}

    var isEmpty: Bool { retry == nil && authStage == nil && rateLimit == nil && concurrency == nil }
  }

  package let rules: Rules

  init(_ rules: Rules) {
    self.rules = rules
  }

  /// Those of a request that is made now: what gets credentials makes its own requests without.
  var ofNewRequest: Policies {
    guard let stage = rules.authStage, stage.isAtWork else { return self }
    var rules = rules
    rules.authStage = nil
    return Policies(rules)
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
    if let queue { texts.append("limits: \(queue.description)") }
    return texts
  }
}
