/// A problem with a setting of a program: its value is invalid.
package struct SettingProblem: Error, Equatable {
  /// The Swift name of the setting, such as `limits.timeout`.
  package let name: String
  package let message: String

  package init(name: String, message: String) {
    self.name = name
    self.message = message
  }
}

/// Checks the settings of a Swift program. An invalid value is not refused when it is set. Instead,
/// requests that use an invalid setting fail with the first problem found. (SWF-56)
package struct SettingCheck {
  package private(set) var problem: SettingProblem?

  package init() {}

  package mutating func check(
    _ name: @autoclosure () -> String, _ value: Double, _ rule: NumberRule
  ) {
    guard problem == nil, !rule.allows(value) else { return }
    note(name(), "\(rule.expectation), got \(value)")
  }

  package mutating func check(
    _ name: @autoclosure () -> String, _ value: Int, _ rule: NumberRule
  ) {
    guard problem == nil, !rule.allows(Double(value)) else { return }
    note(name(), "\(rule.expectation), got \(value)")
  }

  /// Checks that the method set for queries is valid for a query. (QUERY-07)
  mutating func check(queryMethod method: RequestMethod) {
    guard problem == nil, method != .query, method != .post else { return }
    note("queryMethod", "QUERY or POST, got \(method)")
  }

  private mutating func note(_ name: String, _ rest: String) {
    problem = SettingProblem(name: name, message: "'\(name)' must be \(rest)")
  }

  /// Checks for invalid headers, which couldn't be added.
  package mutating func check(_ headers: RequestHeaders) {
    guard problem == nil, let message = headers.problem else { return }
    problem = SettingProblem(name: "headers", message: message)
  }

  package mutating func check(_ limits: TransferLimits) {
    check("limits.timeout", limits.timeout, .seconds)
    check("limits.connectTimeout", limits.connectTimeout, .seconds)
    check("limits.maxBodySize", limits.maxBodySize, .count(from: 0))
    check("limits.connectionsPerHost", limits.connectionsPerHost, .count(from: 1))
  }

  package mutating func check(_ options: TransferOptions) {
    if let seconds = options.firstByteTimeout { check("firstByteTimeout", seconds, .wait) }
    if let seconds = options.idleTimeout { check("idleTimeout", seconds, .wait) }
    if case .follow(let most) = options.redirects {
      check("redirects", most, .count(in: 0...100))
    }
  }
}

/// An object that requests use and that has settings of its own, such as a cache.
package protocol CheckedSettings {
  /// The first problem with the settings; nil if all settings are valid.
  var settingProblem: SettingProblem? { get }
}

extension RequestError {
  package init(_ problem: SettingProblem) {
    self.init(userMessage: problem.message, cause: Cause(problem))
  }
}

extension RequestError.Cause {
  package init(_ problem: SettingProblem) {
    self = .invalidSetting(name: problem.name, message: problem.message)
  }
}

/// A rule for the numbers that a setting accepts, with a description for messages. Swift and
/// scripts share the same rules.
package struct NumberRule: Sendable {
  /// The description of allowed numbers, as a phrase that follows "must be".
  package let expectation: String
  private let isAllowed: @Sendable (Double) -> Bool

  private init(_ expectation: String, _ isAllowed: @escaping @Sendable (Double) -> Bool) {
    self.expectation = expectation
    self.isAllowed = isAllowed
  }

  /// Whether the number is allowed; false for NaN.
  package func allows(_ number: Double) -> Bool { isAllowed(number) }

  /// A number of seconds, 0 or more. Infinity means no limit.
  package static let seconds = NumberRule("a number of seconds, 0 or more") { $0 >= 0 }
  package static let finiteSeconds = NumberRule("a number of seconds, 0 or more") {
    $0 >= 0 && $0.isFinite
  }
  /// A number of seconds above 0. Zero is not allowed, because it would leave no time. Infinity
  /// means no limit.
  package static let wait = NumberRule("a number of seconds above 0") { $0 > 0 }
  package static let span = NumberRule("a number of seconds, more than 0") {
    $0 > 0 && $0.isFinite
  }
  package static let pages = NumberRule("a number of pages, 1 or more") { $0 >= 1 }
  package static let status = NumberRule("a status (100 to 599)") {
    $0.isWhole && (100...599).contains($0)
  }
  /// A whole number other than 0, by which another number is increased. It must be small enough
  /// that sums stay exact.
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

  /// Whether this number and all smaller whole numbers can be represented exactly as a `Double`.
  fileprivate var isExact: Bool { magnitude <= 0x1p53 }
}
