import LullClients

/// Merges lines that the user and a new import may both have changed. Lines are bytes, because a
/// user's comments need not be UTF-8.
struct LineMerge {
  typealias Line = [UInt8]

  private(set) var lines: [Line] = []
  /// The conflicts. Each has its line number in `user`, starting at 1.
  private(set) var conflicts: [(line: Int, there: [Line], here: [Line])] = []

  init(base: [Line], user: [Line], new: [Line]) {
    func matches(_ other: [Line]) -> [Int?] {
      LineDifference(base.map { $0[...] }, other.map { $0[...] }).matches
    }
    let (toUser, toNew) = (matches(user), matches(new))
    var (b, u, n) = (0, 0, 0)
    for place in base.indices {
      guard let inUser = toUser[place], let inNew = toNew[place], inUser >= u, inNew >= n else {
        continue
      }
      settle(base[b..<place], user[u..<inUser], new[n..<inNew])
      lines.append(user[inUser])
      (b, u, n) = (place + 1, inUser + 1, inNew + 1)
    }
    settle(base[b...], user[u...], new[n...])
  }

  private mutating func settle(
    _ base: ArraySlice<Line>, _ user: ArraySlice<Line>, _ new: ArraySlice<Line>
  ) {
    if user.elementsEqual(base) {
      lines += new
    } else if new.elementsEqual(base) || user.elementsEqual(new) {
      lines += user
    } else {
      conflicts.append((user.startIndex + 1, Array(new), Array(user)))
    }
  }
}
