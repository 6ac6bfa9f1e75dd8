/// One load of a resource among those that other users of a cache make: either it is this one's turn to fetch, or
/// another has fetched meanwhile what will do. (SCA-20 to SCA-26) Home thread only.
final class SharedFetch {
  enum Answer {
    case fetch
    /// As the resource has it from now on; `isNew`: other than what it had.
    case found(Entity, isNew: Bool)
  }

  private let resource: Resource
  private let configuration: ResolvedConfiguration
  private let entry: CacheEntry
  /// The caches of the stages after that.
  private let later: [CacheEntry]
  private let turn: any FetchTurn
  private var lookup: CacheLookup?
  private var isOver = false
  /// How often something newer was of no use.
  private var uselessReads = 0

  private static let mostUselessReads = 5

  /// nil if no cache of the resource has turns, or nobody is to be asked.
  ///
  /// - Parameter isHeldUp: whether the load, whose turn it is, waits for something of its own.
  init?(of resource: Resource, isHeldUp: @escaping () -> Bool) {
    let configuration = resource.resolvedConfiguration
    guard configuration.takesTurns else { return nil }
    let entries = resource.cacheEntries(configuration)
    guard let index = entries.lastIndex(where: { $0.makeTurn != nil }),
      let turn = entries[index].makeTurn?()
    else { return nil }
    self.resource = resource
    self.configuration = configuration
    self.turn = turn
    turn.isHeldUp = isHeldUp
    entry = entries[index]
    later = Array(entries[(index + 1)...])
  }

  func announce() { turn.announce() }

  func end(_ ending: FetchEnding) {
    guard !isOver else { return }
    isOver = true
    lookup?.cancel()
    lookup = nil
    turn.end(ending)
  }

  /// The answer comes once, on a later turn or inside the call, and not after `end`.
  ///
  /// - Parameter seconds: for how long others are waited for at most, since it began first.
  func begin(within seconds: Double, _ answer: @escaping (Answer) -> Void) {
    let known = resource.record.state.latestData?.timestamp
    turn.seek(newerThan: known, within: seconds) { [self] chance in
      guard !isOver else { return }
      switch chance {
      case .fetch: answer(.fetch)
      case .written where uselessReads == SharedFetch.mostUselessReads: answer(.fetch)
      case .written(let isAwaited): read(isAwaited: isAwaited, within: seconds, answer)
      }
    }
  }

  private func read(
    isAwaited: Bool, within seconds: Double, _ answer: @escaping (Answer) -> Void
  ) {
    let lookup = CacheLookup(of: resource, entries: [entry], later: later, conf: configuration)
    self.lookup = lookup
    lookup.onCompletion { [self] response in
      guard !isOver else { return }
      self.lookup = nil
      if let entity = response.entity, let found = take(entity, isAwaited: isAwaited) {
        return answer(found)
      }
      uselessReads += 1
      begin(within: seconds, answer)
    }
    lookup.start()
  }

  /// What will do; else, if it is newer than what is there, it becomes the data that is asked for anew.
  private func take(_ entity: Entity, isAwaited: Bool) -> Answer? {
    let state = resource.record.state
    if let data = state.latestData, data.timestamp >= entity.timestamp { return nil }
    guard !entity.isOutdated, isAwaited || entity.timestamp > state.timestamp && isFresh(entity)
    else {
      resource.take(newer: entity)
      return nil
    }
    guard var data = state.latestData, let etag = data.etag, etag == entity.etag,
      data.validatorsHold
    else { return .found(entity, isNew: true) }
    // Another has been told that it is what it was.
    data.headers = entity.headers
    data.timestamp = entity.timestamp
    data.exchange?.variant = entity.exchange?.variant
    return .found(data, isNew: false)
  }

  private func isFresh(_ entity: Entity) -> Bool {
    let age = resource.pump.clock.now - entity.timestamp
    return switch configuration.expirationTime {
    case .seconds(let seconds): age <= seconds
    case .http: age < entity.httpFreshness.remaining
    }
  }
}

/// How a load asks, where others ask for the same.
enum FetchManner {
  /// As if there were no others.
  case alone
  /// At once; others wait for it.
  case announced
  /// When nobody else does; what another brings meanwhile will do.
  case byTurns
}

/// A cache whose users take turns in fetching its entries, whatever process or host they are in. (SCA-20)
package protocol FetchSharing: CoordinatedEntityCache {
  /// Returns the turn of one load, or nil if there is no server to ask now.
  func makeTurn(forKey key: Key) -> (any FetchTurn)?
}

/// The turn of one load among all that fetch the same. Home thread only.
package protocol FetchTurn: AnyObject {
  /// Waits until it is one's turn, or somebody has written something newer than that; may be asked again after
  /// the latter. The answer comes once, on a later turn or inside the call, and not after `end`.
  ///
  /// - Parameters:
  ///   - timestamp: Unix seconds, of what is there already; nil: there is nothing.
  ///   - seconds: for how long others are waited for at most, since it was asked first.
  func seek(
    newerThan timestamp: Double?, within seconds: Double,
    _ answer: @escaping (FetchChance) -> Void)

  /// Fetches without waiting for anybody; others wait, if nobody else fetches.
  func announce()

  /// Whether the load waits for something of its own now: for long others do not wait for that. (SCA-30)
  var isHeldUp: () -> Bool { get set }

  /// Others have their turn, after what has been written until now. The second time nothing happens.
  func end(_ ending: FetchEnding)
}

/// What has come of waiting for a turn.
package enum FetchChance: Equatable {
  /// It is one's turn, or nobody can be asked: what is wanted is to be fetched.
  case fetch
  /// The cache has something newer; `isAwaited`: since one has begun to wait.
  case written(isAwaited: Bool)
}

/// What has become of a load that had its turn.
package enum FetchEnding: Equatable, Sendable {
  /// Something new has come.
  case succeeded
  /// It has failed, or what was there holds still.
  case failed
  /// Nothing is known of what would have come.
  case cancelled
}
