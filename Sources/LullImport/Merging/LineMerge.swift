/// Merges lines that two have changed since they were the same: bytes, since comments of somebody may be no UTF-8.
struct LineMerge {
  typealias Line = [UInt8]

  private(set) var lines: [Line] = []
  /// Lines of `user`, counted from 1, at which both have changed something.
  private(set) var conflicts: [(line: Int, there: [Line], here: [Line])] = []

  init(base: [Line], user: [Line], new: [Line]) {
    let toUser = LineMerge.matches(base, user)
    let toNew = LineMerge.matches(base, new)
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

  /// Where each line of the first is in the second; nil where it is not.
  private static func matches(_ old: [Line], _ new: [Line]) -> [Int?] {
    let difference = new.difference(from: old)
    var removed = Set<Int>()
    var inserted = Set<Int>()
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var next = 0
    return old.indices.map { place in
      guard !removed.contains(place) else { return nil }
      while inserted.contains(next) { next += 1 }
      defer { next += 1 }
      return next
    }
  }
}
