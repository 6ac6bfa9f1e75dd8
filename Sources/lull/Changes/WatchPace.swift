/// How long to wait between one answer and the next time of asking. Seconds.
struct WatchPace {
  /// However often it has failed, unless answers are that far apart anyway, or the server wants more.
  static let longest = 60.0

  private(set) var failures = 0

  mutating func answered() { failures = 0 }
  mutating func failed() { failures += 1 }

  /// - Parameters:
  ///   - usual: after an answer.
  ///   - wanted: what the server asks for.
  func delay(usual: Double, wanted: Double?) -> Double {
    guard failures > 0 else { return usual }
    let doubled = usual * Double(1 << min(failures - 1, 16))
    return max(min(doubled, max(usual, WatchPace.longest)), wanted ?? 0)
  }
}
