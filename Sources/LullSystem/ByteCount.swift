/// Formats sizes in bytes for the user.
package enum ByteCount {
  /// The exact size, in the largest unit that gives a whole number, such as `100 MB` or
  /// `1000 bytes`.
  package static func exact(_ bytes: Int) -> String {
    for (unit, name) in [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")]
    where bytes >= unit && bytes % unit == 0 {
      return "\(bytes / unit) \(name)"
    }
    return "\(bytes) bytes"
  }

  /// The rounded size, such as `17 B` or `1.5 MB`, in units of 1024.
  package static func text(_ bytes: Int) -> String {
    for (unit, name) in [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")] where bytes >= unit {
      let (whole, rest) = bytes.quotientAndRemainder(dividingBy: unit)
      let tenths = whole * 10 + (rest * 10 + unit / 2) / unit
      return "\(tenths / 10).\(tenths % 10) \(name)"
    }
    return "\(bytes) B"
  }
}

/// Measures the rate of a transfer over the last seconds, and estimates the remaining time.
package struct TransferRate {
  /// The time over which the rate is measured, in seconds.
  private static let window = 5.0
  private var samples: [(time: Double, count: Int)] = []

  package init() {}

  /// Adds a sample: the total count that the transfer has reached.
  ///
  /// - Parameter time: The time of the sample, in seconds since any fixed time.
  package mutating func note(_ count: Int, at time: Double) {
    // If the count has restarted, earlier samples say nothing about the rate.
    if let last = samples.last, last.count > count { samples = [] }
    samples.append((time, count))
    let first = samples.lastIndex { $0.time <= time - TransferRate.window } ?? 0
    samples.removeFirst(first)
  }

  /// The increase of the count per second; nil while unknown.
  package var perSecond: Double? {
    guard let first = samples.first, let last = samples.last, last.time - first.time >= 0.5,
      last.count > first.count
    else { return nil }
    return Double(last.count - first.count) / (last.time - first.time)
  }

  /// The number of seconds until the count reaches `total`; nil while unknown.
  package func remaining(of total: Int) -> Double? {
    guard let perSecond, let last = samples.last, total >= last.count else { return nil }
    return Double(total - last.count) / perSecond
  }

  /// Formats a duration as `0:07`, `12:30` or `3:00:05`. Returns nil for more than a few days.
  package static func text(_ seconds: Double) -> String? {
    guard seconds < 1e6, seconds >= 0 else { return nil }
    let whole = Int(seconds.rounded(.up))
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    return (hours > 0 ? "\(hours):\(padded(minutes))" : "\(minutes)") + ":\(padded(whole % 60))"
  }
}
