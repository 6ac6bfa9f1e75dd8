/// The limits, credentials and retries of one configuration. If the configuration sets none of
/// them, it has no `Policies` object, so this type is used as an optional.
///
/// Immutable: setting a property makes a new object, so that configurations remain values.
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
    /// The count of the rate limit. All resources configured by the same block share this count.
    /// nil until the block is known.
    var sharedRate: SharedLimit?
    var sharedPlaces: SharedLimit?
    /// The pattern of the block that set a limit shared between processes. The pattern and the
    /// request together identify the count.
    var ratePattern: String?
    /// The queue in which requests wait for the rate limit and the concurrency limit.
    var queue: LimitQueue?

    init() {}

    var isEmpty: Bool { retry == nil && authStage == nil && rateLimit == nil && concurrency == nil }
  }

  package let rules: Rules

  init(_ rules: Rules) {
    self.rules = rules
  }

  /// The policies that apply to a request made now. If an auth stage makes the request in order to
  /// obtain credentials, these policies have no auth stage.
  var ofNewRequest: Policies {
    guard let stage = rules.authStage, stage.isAtWork else { return self }
    var rules = rules
    rules.authStage = nil
    return Policies(rules)
  }
}

extension Policies.Rules {
  /// Descriptions of the policies, for logs.
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
