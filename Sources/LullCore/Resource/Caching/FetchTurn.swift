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
