/// A computed configuration with what is derived from it once.
package final class ResolvedConfiguration {
  package let settings: Configuration
  package let steps: [PipelineStep]
  package let caches: [Pipeline.StageCache]
  /// Whether loads may have to wait for those of others. (SCA-20)
  let takesTurns: Bool
  /// Why requests must fail: the first block that raised.
  package var failure: RequestError? { failures.first }
  // One or none, and not an optional: errors are rare and large, configurations many.
  private let failures: [RequestError]
  /// Apart from the settings, so that asking for freshness copies nothing.
  package let expirationTime: ExpirationTime
  let retryTime: Double
  let writesInvalidate: Bool
  /// Apart as well, for every request that is made.
  let policies: Policies?
  /// Whether it changes requests that are made, beyond the headers.
  let isEditing: Bool
  /// Whose requests these are, where that matters.
  private(set) lazy var senders = KnownSenders()

  package init(_ settings: Configuration, failure: RequestError?) {
    self.settings = settings
    steps = settings.pipeline.steps(validation: settings.validation)
    caches = settings.pipeline.caches(validation: settings.validation)
    let problem = failure ?? ResolvedConfiguration.problem(of: caches)
    failures = problem.map { [$0] } ?? []
    takesTurns = caches.contains { ($0.cache as? any FetchSharing)?.takesTurns ?? false }
    expirationTime = settings.expirationTime
    retryTime = settings.retryTime
    writesInvalidate = settings.writesInvalidate
    policies = settings.policies
    isEditing = !settings.mutations.isEmpty || settings.auth != nil
  }

  private static func problem(of caches: [Pipeline.StageCache]) -> RequestError? {
    for cache in caches {
      guard let problem = (cache.cache as? any CheckedSettings)?.settingProblem else { continue }
      return RequestError(problem)
    }
    return nil
  }

  /// What invalid resources have. (SVC-23)
  static func builtIn() -> ResolvedConfiguration {
    ResolvedConfiguration(Configuration(), failure: nil)
  }
}
