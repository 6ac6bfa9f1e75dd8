/// One caller's recently sent admissions, to report them to the next log that counts them. A value
/// that is given the time.
struct RecentAdmissions {
  struct Entry: Equatable {
    let number: Int64
    let time: Double
    /// The number in this machine's own log, if that granted the admission; nil if the server did.
    var local: Int64?
  }

  /// Seconds for which an admission counts.
  private let per: Double
  private var entries: [Entry] = []

  /// The maximum number; beyond it the oldest are dropped.
  static let most = 10_000

  init(per: Double) {
    self.per = per
  }

  mutating func append(_ number: Int64, now: Double, local: Int64? = nil) {
    entries.append(Entry(number: number, time: now, local: local))
    // Occasionally, not each time.
    if entries.count > 64, entries.count & (entries.count - 1) == 0 || entries.count > 2 * Self.most
    {
      entries = current(now: now)
    }
  }

  /// Removes an admission that did not count.
  mutating func remove(_ number: Int64) {
    if let index = index(of: number) { entries.remove(at: index) }
  }

  /// Returns an admission, and how many were sent after it; nil if it was too long ago.
  func find(_ number: Int64) -> (entry: Entry, sentSince: Int)? {
    index(of: number).map { (entries[$0], entries.count - 1 - $0) }
  }

  /// Searches from the end: responses usually belong to recent admissions.
  private func index(of number: Int64) -> Int? {
    entries.lastIndex { $0.number == number }
  }

  /// The admissions that still count, the oldest first.
  func current(now: Double) -> [Entry] {
    Array(entries.filter { $0.time > now - per }.suffix(Self.most))
  }
}
