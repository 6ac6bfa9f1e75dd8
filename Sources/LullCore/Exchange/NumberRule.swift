/// Which numbers a setting takes, and how a message says so: one rule for Swift and for scripts.
package struct NumberRule: Sendable {
  /// What follows "must be".
  package let expectation: String
  private let isAllowed: @Sendable (Double) -> Bool

  private init(_ expectation: String, _ isAllowed: @escaping @Sendable (Double) -> Bool) {
    self.expectation = expectation
    self.isAllowed = isAllowed
  }

  /// NaN never is.
  package func allows(_ number: Double) -> Bool { isAllowed(number) }

  /// Infinity is no bound.
  package static let seconds = NumberRule("a number of seconds, 0 or more") { $0 >= 0 }
  package static let finiteSeconds = NumberRule("a number of seconds, 0 or more") {
    $0 >= 0 && $0.isFinite
  }
  /// Infinity is no bound, and 0 would be no time at all.
  package static let wait = NumberRule("a number of seconds above 0") { $0 > 0 }
  package static let span = NumberRule("a number of seconds, more than 0") {
    $0 > 0 && $0.isFinite
  }
  package static let pages = NumberRule("a number of pages, 1 or more") { $0 >= 1 }
  package static let status = NumberRule("a status (100 to 599)") {
    $0.isWhole && (100...599).contains($0)
  }
  /// A distance that adding up does not take beyond an integer.
  package static let step = NumberRule("a whole number") { $0.isWhole && $0 != 0 && $0.isExact }
  package static let position = NumberRule("a whole number") { $0.isWhole && $0.isExact }

  package static func count(from least: Int) -> NumberRule {
    NumberRule("a whole number, \(least) or more") { $0.isWhole && $0 >= Double(least) }
  }

  package static func count(in range: ClosedRange<Int>) -> NumberRule {
    NumberRule("a whole number from \(range.lowerBound) to \(range.upperBound)") {
      $0.isWhole && $0 >= Double(range.lowerBound) && $0 <= Double(range.upperBound)
    }
  }

  package static func bytes(from least: Int) -> NumberRule {
    NumberRule("a number of bytes, \(least) or more") { $0 >= Double(least) && $0.isFinite }
  }
}

extension Double {
  fileprivate var isWhole: Bool { isFinite && self == rounded() }

  /// Whether each whole number up to it is a `Double` too.
  fileprivate var isExact: Bool { magnitude <= 0x1p53 }
}
