/// A setting of a program with a value that it cannot have.
package struct SettingProblem: Error, Equatable {
  /// As Swift calls it: `limits.timeout`.
  package let name: String
  package let message: String

  package init(name: String, message: String) {
    self.name = name
    self.message = message
  }
}

/// Looks at the settings of a Swift program, which is not refused when it sets them: what is wrong first fails the
/// requests that would go by it. (SWF-56)
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

  private mutating func note(_ name: String, _ rest: String) {
    problem = SettingProblem(name: name, message: "'\(name)' must be \(rest)")
  }

  /// Headers that could not be added.
  package mutating func check(_ headers: Headers) {
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

/// What has settings of its own that requests go by, such as a cache.
package protocol CheckedSettings {
  /// What is wrong with them first; nil: nothing.
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
