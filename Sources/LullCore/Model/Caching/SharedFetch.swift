/// Coordinates a load of one resource with loads of the same entry by other users of a cache. The
/// load waits until it is its turn to send a request, or until another user has fetched an entity
/// that the load can use. (SCA-20 to SCA-26) Home thread only.
final class SharedFetch {
  enum Answer {
    case fetch
    /// The load completes with this entity instead of sending a request. `isNew` is true if the
    /// entity differs from the data of the resource.
    case found(Entity, isNew: Bool)
  }

  private let resource: Resource
  private let configuration: ResolvedConfiguration
  private let entry: CacheEntry
  /// The entries in the caches of the stages after the stage of `entry`.
  private let later: [CacheEntry]
  private let turn: any FetchTurn
  private var lookup: CacheLookup?
  private var isOver = false
  /// The number of times that a newer entity was read but could not be used.
  private var uselessReads = 0

  private static let mostUselessReads = 5

  /// Creates the coordination of a load. nil if no cache of the resource coordinates loads by
  /// turns, or if the server of the cache can't be reached now.
  ///
  /// - Parameter isHeldUp: Returns whether the load, although it has its turn, waits for limits,
  ///   credentials or its next attempt.
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

  /// Waits until it is the load's turn, or until another user has fetched a usable entity. Calls
  /// `answer` once, inside the call or later, but not after `end`.
  ///
  /// - Parameter seconds: The maximum time to wait for other users, counted from the first call.
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

  /// Returns the answer for an entity that another user has fetched; nil if the load can't use the
  /// entity. If the load can't use an entity that is newer than the data of the resource, the
  /// entity becomes the data, and the load revalidates it.
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
    // The other user got a 304 for data that this resource has too.
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

/// How a load is coordinated with loads of the same cache entry by other users.
enum FetchManner {
  /// The load ignores other users.
  case alone
  /// The load sends its request at once, and other users wait for this load.
  case announced
  /// The load waits until no other user fetches the entry. If another user fetches an entity during
  /// the wait, the load uses it.
  case byTurns
}

/// A cache whose users, in any process or on any host, take turns in fetching its entries. (SCA-20)
package protocol FetchSharing: CoordinatedEntityCache {
  /// Returns the turn of one load of the entry `key`, or nil if the server of the cache can't be
  /// reached now.
  func makeTurn(forKey key: Key) -> (any FetchTurn)?
}

/// The turn of one load among the loads of the same entry by all users of a cache. Home thread
/// only.
package protocol FetchTurn: AnyObject {
  /// Waits until it is this load's turn, or until another user has written an entity newer than
  /// `timestamp`. In the second case, this method may be called again. `answer` is called once,
  /// inside the call or later, but not after `end`.
  ///
  /// - Parameters:
  ///   - timestamp: The timestamp of the present data, in Unix seconds; nil if there is no data.
  ///   - seconds: The maximum time to wait for other users, counted from the first call.
  func seek(
    newerThan timestamp: Double?, within seconds: Double,
    _ answer: @escaping (FetchChance) -> Void)

  /// Announces that this load fetches the entry without waiting for its turn. Other users then wait
  /// for this load, unless another load already has the turn.
  func announce()

  /// Returns whether the load waits for limits, credentials or its next attempt. Other users wait
  /// only a short time for a load that is held up in this way. (SCA-30)
  var isHeldUp: () -> Bool { get set }

  /// Ends the turn. After all previous writes have been stored, the next load gets its turn. A
  /// second call does nothing.
  func end(_ ending: FetchEnding)
}

/// The result of waiting for a turn.
package enum FetchChance: Equatable {
  /// The load should send its request, because it is its turn or because no server can be reached.
  case fetch
  /// The cache has a newer entity. `isAwaited`: the entity was written after the wait began.
  case written(isAwaited: Bool)
}

/// How a load that had its turn has ended.
package enum FetchEnding: Equatable, Sendable {
  /// The load received new data.
  case succeeded
  /// The load failed, or received a 304.
  case failed
  /// The load was cancelled, so its outcome is unknown.
  case cancelled
}
