/// Finds the known name nearest to an unknown one, for "did you mean …?".
package enum NearestName {
  /// Returns the candidate that is nearest to a name. If several candidates are equally near,
  /// returns the first. nil if no candidate is near enough for a typing error: about one edit for
  /// every three letters.
  ///
  /// An edit is a missing, added or wrong letter, or a swap of two letters. Upper and lower case
  /// are not distinguished.
  package static func suggestion(
    for name: String, among candidates: some Sequence<String>
  ) -> String? {
    let wanted = folded(name)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let known = folded(candidate)
      let length = max(wanted.count, known.count)
      // At least half of a short name must match. Otherwise, all names of one letter would be near
      // each other.
      var limit = max(1, length / 3)
      if limit * 2 > length { continue }
      if let best { limit = min(limit, best.distance - 1) }
      guard limit >= 0, abs(wanted.count - known.count) <= limit else { continue }
      let distance = distance(wanted, known)
      if distance <= limit { best = (candidate, distance) }
    }
    return best?.candidate
  }

  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }
  }

  /// Computes the optimal string alignment distance. Only three rows of the usual table are kept.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      row.reserveCapacity(b.count + 1)
      for j in 0..<b.count {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, beforeLast[j - 1] + 1)
        }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
