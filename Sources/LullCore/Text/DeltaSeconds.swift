/// Times of HTTP that are numbers of seconds. (RFC 9111, section 1.2.2)
enum DeltaSeconds {
  /// nil of what is not digits alone; what is larger than 2³¹ is that.
  static func parse(_ text: some StringProtocol) -> Double? {
    let digits = text.utf8
    guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Double(min(Int(text) ?? largest, largest))
  }

  private static let largest = 2_147_483_648
}
