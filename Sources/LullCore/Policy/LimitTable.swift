/// The limits of one service, by the configuration block that sets them.
///
/// If a block runs again, for another resource or after `invalidateConfiguration`, it gets the same
/// limit as before, unless it sets a different limit. A limit that processes share exists once for
/// each count, regardless of the block that sets it.
final class LimitTable {
  private struct Key: Hashable {
    enum Rule: Hashable {
      case rate(RateLimit)
      case concurrency(Int)
      case logged(RateLimit, LimitKey)
    }

    let block: Int
    let rule: Rule
  }

  private struct Pair: Hashable {
    let rate: ObjectIdentifier?
    let places: ObjectIdentifier?
  }

  private struct Known {
    let limit: SharedLimit
    /// The version of the configuration for which the limit was last requested.
    var version: Int
  }

  private unowned let pump: Pump
  private let admissions: Admissions
  private var limits: [Key: Known] = [:]
  private var queues: [Pair: LimitQueue] = [:]
  private var sweptVersion = 0

  init(pump: Pump) {
    self.pump = pump
    admissions = Admissions(pump: pump)
  }

  /// Assigns a `SharedLimit` to each limit that a block has just set. The `SharedLimit` counts the
  /// requests.
  ///
  /// - Parameter pattern: The pattern of the block, as text; nil if the pattern is a function.
  /// - Throws: An error if other processes can't identify the limit.
  func bind(
    _ rules: inout Policies.Rules, block: Int, pattern: String?, version: Int
  ) throws(RequestError) {
    try LimitTable.note(pattern, in: &rules)
    if let limit = rules.rateLimit, rules.sharedRate == nil, rules.ratePattern == nil {
      let key = Key(block: block, rule: .rate(limit))
      rules.sharedRate = shared(key, version: version) { SharedLimit(limit, admissions) }
    }
    if let limit = rules.concurrency, rules.sharedPlaces == nil {
      let key = Key(block: block, rule: .concurrency(limit))
      rules.sharedPlaces = shared(key, version: version) {
        SharedLimit(concurrency: limit, admissions)
      }
    }
    rules.queue = queue(rules.sharedRate, rules.sharedPlaces)
  }

  /// Stores the pattern of a block that has just set a limit shared between processes.
  ///
  /// - Throws: An error if other processes can't identify the limit.
  static func note(
    _ pattern: String?, in rules: inout Policies.Rules
  ) throws(RequestError) {
    guard let limit = rules.rateLimit, limit.scope != .block, rules.ratePattern == nil else {
      return
    }
    if case .processes = limit.scope, pattern == nil {
      let error = LimitNeedsName()
      throw RequestError(userMessage: error.description, cause: .custom(error))
    }
    rules.ratePattern = pattern ?? ""
  }

  /// Returns the queue in which a request waits. If the rate limit is shared between processes, the
  /// queue depends on the origin and sender of the request.
  ///
  /// - Parameter identity: Returns the identity of the sender. Called only if senders are
  ///   distinguished.
  func queue(
    for rules: Policies.Rules, origin: String, environment: String?, version: Int,
    identity: (any LimitSource) -> [UInt8]
  ) -> LimitQueue? {
    guard let limit = rules.rateLimit, let pattern = rules.ratePattern else { return rules.queue }
    let source = pump.limitSource
    var count = LimitKey(
      of: limit, origin: origin, environment: environment, pattern: pattern
    ) { identity(source) }
    count.server = source.server
    let rate = shared(Key(block: -1, rule: .logged(limit, count)), version: version) {
      SharedLimit(limit, log: source.makeLog(of: limit, count), admissions)
    }
    return queue(rate, rules.sharedPlaces)
  }

  private func shared(_ key: Key, version: Int, make: () -> SharedLimit) -> SharedLimit {
    if version != sweptVersion { sweep(version) }
    let limit = limits[key]?.limit ?? make()
    limits[key] = Known(limit: limit, version: version)
    return limit
  }

  private func queue(_ rate: SharedLimit?, _ places: SharedLimit?) -> LimitQueue? {
    guard rate != nil || places != nil else { return nil }
    let pair = Pair(
      rate: rate.map { ObjectIdentifier($0) }, places: places.map { ObjectIdentifier($0) })
    if let queue = queues[pair] { return queue }
    let queue = LimitQueue(rate: rate, places: places, admissions)
    queues[pair] = queue
    return queue
  }

  /// Removes idle limits that have not been requested since the last version of the configuration.
  /// Blocks that compute their limits may create any number of limits.
  private func sweep(_ version: Int) {
    let old = limits.filter { $0.value.version < sweptVersion && $0.value.limit.isIdle }
    for key in old.keys { limits[key] = nil }
    if !old.isEmpty {
      let kept = Set(limits.values.map { ObjectIdentifier($0.limit) })
      queues = queues.filter { pair, _ in
        pair.rate.map { kept.contains($0) } ?? true && pair.places.map { kept.contains($0) } ?? true
      }
    }
    sweptVersion = version
  }
}
