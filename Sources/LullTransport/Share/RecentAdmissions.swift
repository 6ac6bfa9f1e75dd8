/// What one who asks has sent lately, so that it can be told to whoever counts next: a value, told the time.
struct RecentAdmissions {
  struct Entry: Equatable {
    let number: Int64
    let time: Double
  }

  /// Seconds for which one counts.
  private let per: Double
  private var entries: [Entry] = []

  /// Beyond that the oldest are forgotten.
  static let most = 10_000

  init(per: Double) {
    self.per = per
  }

  mutating func append(_ number: Int64, now: Double) {
    entries.append(Entry(number: number, time: now))
    // Now and then, not each time.
    if entries.count > 64, entries.count & (entries.count - 1) == 0 || entries.count > 2 * Self.most
    {
      entries = current(now: now)
    }
  }

  /// It did not count.
  mutating func remove(_ number: Int64) {
    if let index = entries.lastIndex(where: { $0.number == number }) { entries.remove(at: index) }
  }

  /// Those that still count, the oldest first.
  func current(now: Double) -> [Entry] {
    Array(entries.filter { $0.time > now - per }.suffix(Self.most))
  }
}
