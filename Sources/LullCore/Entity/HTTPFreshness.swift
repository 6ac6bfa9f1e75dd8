/// For how long an answer is fresh, by what it says itself. (AGE-01; RFC 9111, section 4.2)
///
/// `max-age` comes before `Expires`; `no-cache` and `no-store` are fresh for no time at all, and so is what
/// says nothing, or nothing that can be understood: there are no guesses from `Last-Modified` (AGE-02).
package struct HTTPFreshness: Equatable {
  /// From when it was made, in seconds.
  package let lifetime: Double
  /// How old it was when it arrived, in seconds: what `Age` says and what it took to come, or what its
  /// `Date` tells, if that is more. (Section 4.2.3)
  package let initialAge: Double

  /// For how many seconds from its arrival on; 0 if it was stale by then.
  package var remaining: Double { max(0, lifetime - initialAge) }

  /// - Parameters:
  ///   - arrival: Unix seconds.
  ///   - elapsed: what the exchange took, in seconds.
  ///   - isNoStore: whether the request said `no-store`.
  init(_ headers: Headers, arrival: Double, elapsed: Double, isNoStore: Bool = false) {
    let date = headers.values("date").first.flatMap { HTTPDate.parse($0, now: arrival) }
    let age = headers.values("age").first.flatMap { HTTPFreshness.age($0) } ?? 0
    initialAge = max(age + elapsed, date.map { arrival - $0 } ?? 0, 0)
    let control = CacheControl(headers)
    if control.isNoCache || control.isNoStore || isNoStore {
      lifetime = 0
    } else if let maxAge = control.maxAge {
      lifetime = maxAge
    } else {
      let expires = headers.values("expires")
      // Of several none is known to be meant. (Section 4.2.1)
      let end = expires.count == 1 ? HTTPDate.parse(exactly: expires[0], now: arrival) : nil
      lifetime = end.map { max(0, $0 - (date ?? arrival)) } ?? 0
    }
  }

  /// Of several in one line the first.
  private static func age(_ text: String) -> Double? {
    let first = text.prefix { $0 != "," }
    return DeltaSeconds.parse(first.trimmingBlanks)
  }
}

extension Entity {
  /// For how long it is fresh by what it says itself.
  package var httpFreshness: HTTPFreshness {
    HTTPFreshness(
      headers, arrival: timestamp, elapsed: exchange?.elapsed ?? 0,
      isNoStore: exchange?.forbidsStoring ?? false)
  }

  /// Whether the answer to a HEAD request shows that the server has another representation by now: by
  /// ETag, or by Last-Modified if one of the two has no ETag. (AGE-09; RFC 9111, section 4.3.5)
  package func isOutdated(by head: Entity) -> Bool {
    guard head.exchange?.status == 200 else { return false }
    for name in ["etag", "last-modified"] {
      if let known = headers.bytes(name), let new = head.headers.bytes(name) { return known != new }
    }
    return false
  }
}
