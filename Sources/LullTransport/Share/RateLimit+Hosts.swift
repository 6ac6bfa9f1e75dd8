import LullCore

extension RateLimit {
  /// What one of so many hosts may let through that know nothing of each other: all together no more than
  /// this in the long run.
  func part(of hosts: Int) -> RateLimit {
    guard hosts > 1 else { return self }
    var part = self
    if requests >= hosts {
      part.requests = requests / hosts
    } else {
      part.requests = 1
      part.per = per * Double((hosts + requests - 1) / requests)
    }
    return part
  }
}
