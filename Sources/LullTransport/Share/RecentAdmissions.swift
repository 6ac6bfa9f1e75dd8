/// The recently sent admissions of one caller. If another log must count them, they are reported to
/// that log. A value type: callers pass the time.
struct RecentAdmissions {
  struct Entry: Equatable {
    let number: Int64
    let time: Double
    /// The ID of the admission in this machine's own log; nil if the server granted the admission.
    var local: Int64?
  }

  /// Seconds for which an admission counts.
  private let per: Double
  private var entries: [Entry] = []

  /// The maximum number of entries. Beyond it, the oldest entries are removed.
  static let most = 10_000

  init(per: Double) {
    self.per = per
  }

  mutating func append(_ number: Int64, now: Double, local: Int64? = nil) {
    entries.append(Entry(number: number, time: now, local: local))
    // Old entries are removed occasionally, not in each call.
    if entries.count > 64, entries.count & (entries.count - 1) == 0 || entries.count > 2 * Self.most
    {
      entries = current(now: now)
    }
  }

  /// Removes an admission that did not count.
  mutating func remove(_ number: Int64) {
    if let index = index(of: number) { entries.remove(at: index) }
  }

  /// Returns the admission with the ID `number`, and how many admissions were sent after it.
  /// Returns nil if the admission is no longer stored.
  func find(_ number: Int64) -> (entry: Entry, sentSince: Int)? {
    index(of: number).map { (entries[$0], entries.count - 1 - $0) }
  }

  /// Returns the index of the admission with the ID `number`. Searches from the end, because
  /// responses usually belong to recent admissions.
  private func index(of number: Int64) -> Int? {
    entries.lastIndex { $0.number == number }
  }

  /// Returns the admissions that still count, the oldest first.
  func current(now: Double) -> [Entry] {
    Array(entries.filter { $0.time > now - per }.suffix(Self.most))
  }
}
