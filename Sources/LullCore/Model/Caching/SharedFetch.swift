/// A load of one resource that shares its work with other users of a cache. Either it is this
/// load's turn to send a request, or another user has meanwhile fetched a usable entity. (SCA-20 to
/// SCA-26) Home thread only.
final class SharedFetch {
  enum Answer {
    case fetch
    /// The entity becomes the data of the resource. `isNew`: it differs from the data that was
    /// there.
    case found(Entity, isNew: Bool)
  }

  private let resource: Resource
  private let configuration: ResolvedConfiguration
  private let entry: CacheEntry
  /// The caches of the stages after the one whose cache has turns.
  private let later: [CacheEntry]
  private let turn: any FetchTurn
  private var lookup: CacheLookup?
  private var isOver = false
  /// How many times a newer entity could not be used.
  private var uselessReads = 0

  private static let mostUselessReads = 5

  /// nil if no cache of the resource has turns, or if its server can't be reached now.
  ///
  /// - Parameter isHeldUp: Whether the load, after getting the turn, waits for limits, credentials
  ///   or its next attempt.
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

  /// Waits for the turn. Calls `answer` once, inside the call or on a later turn, and not after
  /// `end`.
  ///
  /// - Parameter seconds: The longest time to wait for other users, counted from the first call.
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

  /// Returns the answer if the entity can be used. If it can't, but is newer than the present data,
  /// it becomes the data that the request revalidates.
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
    // Another user got a 304 for the same data.
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

/// How a load treats other users of its caches that load the same entry.
enum FetchManner {
  /// Ignores them.
  case alone
  /// Sends its request at once, and lets the others wait for it.
  case announced
  /// Waits until no other user fetches the entry, and uses an entity that another user has fetched
  /// meanwhile.
  case byTurns
}

/// A cache whose users, in any process or on any host, take turns in fetching its entries. (SCA-20)
package protocol FetchSharing: CoordinatedEntityCache {
  /// Returns the turn of one load, or nil if the server can't be reached now.
  func makeTurn(forKey key: Key) -> (any FetchTurn)?
}

/// The turn of one load among all loads of the same entry. Home thread only.
package protocol FetchTurn: AnyObject {
  /// Waits until it is this load's turn, or until another user has written an entity newer than
  /// `timestamp`. After the latter it may be called again. `answer` is called once, inside the call
  /// or on a later turn, and not after `end`.
  ///
  /// - Parameters:
  ///   - timestamp: The timestamp of the present data, in Unix seconds; nil if there is no data.
  ///   - seconds: The longest time to wait for other users, counted from the first call.
  func seek(
    newerThan timestamp: Double?, within seconds: Double,
    _ answer: @escaping (FetchChance) -> Void)

  /// Starts fetching without waiting for other users. They wait, unless another load fetches
  /// already.
  func announce()

  /// Whether the load waits for limits, credentials or its next attempt. Other users wait for that
  /// only a short time. (SCA-30)
  var isHeldUp: () -> Bool { get set }

  /// Ends the turn and passes it on, after everything written so far has been stored. A second call
  /// does nothing.
  func end(_ ending: FetchEnding)
}

/// The result of waiting for a turn.
package enum FetchChance: Equatable {
  /// It is this load's turn, or no server can be reached: the load should send its request.
  case fetch
  /// The cache has a newer entity. `isAwaited`: it was written since the wait began.
  case written(isAwaited: Bool)
}

/// How a load that had its turn has ended.
package enum FetchEnding: Equatable, Sendable {
  /// It received new data.
  case succeeded
  /// It failed, or received a 304.
  case failed
  /// It was cancelled, so its outcome is unknown.
  case cancelled
}
