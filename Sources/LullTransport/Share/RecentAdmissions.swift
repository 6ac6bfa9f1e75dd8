/// What one who asks has sent lately, so that it can be told to whoever counts next: a value, told the time.
struct RecentAdmissions {
  struct Entry: Equatable {
    let number: Int64
    let time: Double
    /// What this machine's own count knows it by, which has let it through; nil: the server has.
    var local: Int64?
  }

  /// Seconds for which one counts.
  private let per: Double
  private var entries: [Entry] = []

  /// Beyond that the oldest are forgotten.
  static let most = 10_000

  init(per: Double) {
    self.per = per
  }

  mutating func append(_ number: Int64, now: Double, local: Int64? = nil) {
    entries.append(Entry(number: number, time: now, local: local))
    // Now and then, not each time.
    if entries.count > 64, entries.count & (entries.count - 1) == 0 || entries.count > 2 * Self.most
    {
      entries = current(now: now)
    }
  }

  /// It did not count.
  mutating func remove(_ number: Int64) {
    if let index = index(of: number) { entries.remove(at: index) }
  }

  /// What is known of one, and how many were sent after it; nil if it is too long ago.
  func find(_ number: Int64) -> (entry: Entry, sentSince: Int)? {
    index(of: number).map { (entries[$0], entries.count - 1 - $0) }
  }

  /// Answers come to those that were sent lately, as a rule.
  private func index(of number: Int64) -> Int? {
    entries.lastIndex { $0.number == number }
  }

  /// Those that still count, the oldest first.
  func current(now: Double) -> [Entry] {
    Array(entries.filter { $0.time > now - per }.suffix(Self.most))
  }
}
