/// A configuration while configuration blocks change it.
struct ConfigurationComputation {
  private(set) var settings = Configuration()
  /// The first error.
  private(set) var failure: RequestError?
  /// The descriptions of the blocks that have run, if they are logged.
  private(set) var applied: [String] = []
  /// The names of headers that are not sent because the resource is on another origin, if they are
  /// logged. (CFG-02)
  private(set) var withheld: [String] = []
  let version: Int
  private let isOutside: Bool
  private let isLogging: Bool

  /// - Parameter isOutside: Whether the resource is on another origin than the base URL.
  init(version: Int, isOutside: Bool, isLogging: Bool) {
    self.version = version
    self.isOutside = isOutside
    self.isLogging = isLogging
  }

  /// Runs blocks in that order. If a block throws, its changes are discarded.
  mutating func run(_ blocks: [Int], of entries: [ConfigurationEntry], limits: () -> LimitTable) {
    for index in blocks {
      do throws(RequestError) {
        var changed = settings
        let names = try entries[index].apply(&changed, isOutside: isOutside)
        if let problem = changed.settingProblem {
          throw problem.error(inBlock: entries[index].description)
        }
        if changed.policies !== settings.policies {
          let table = limits()
          try changed.changePolicies { (rules) throws(RequestError) in
            try table.bind(
              &rules, block: index, pattern: entries[index].patternText, version: version)
          }
        }
        settings = changed
        guard isLogging else { continue }
        applied.append(entries[index].description)
        withheld += names.filter { !withheld.contains($0) }
      } catch {
        note(error)
      }
    }
  }

  mutating func note(_ error: RequestError) {
    failure = failure ?? error
  }
}

extension SettingProblem {
  /// Returns the error, with the description of the block that set the value.
  fileprivate func error(inBlock description: String) -> RequestError {
    let message = "\(message) (configuration block \(description))"
    return RequestError(
      userMessage: message, cause: .invalidSetting(name: name, message: message))
  }
}

/// One registered configuration block, with its pattern and methods.
package struct ConfigurationEntry {
  /// nil: applies to every resource.
  package let pattern: ConfigurationPattern?
  /// In upper case; nil: applies to every method. (CFG-07)
  package let requestMethods: Set<RequestMethod>?
  /// For logs: a running number and a text. (CFG-19)
  package let description: String
  /// Where it was registered, if that is known.
  package let source: SourcePlace?
  /// Whether it makes the same changes for every resource each time.
  package let isConstant: Bool
  package let apply: ConfigurationBlock
  /// The environment whose settings it contains; nil for other blocks.
  package internal(set) var environment: String?

  /// Identifies its pattern in other processes; nil if it is a function.
  var patternText: String? { pattern.map(\.text) ?? "" }

  package func applies(to url: ResourceURL, method: RequestMethod) throws(RequestError) -> Bool {
    if let requestMethods, !method.isConfigured(by: requestMethods) { return false }
    guard let pattern else { return true }
    return try pattern.matches(url)
  }

  /// Returns the entry with its pattern relative to another base URL.
  func rebased(below base: ResourceURL?) -> ConfigurationEntry {
    guard let pattern else { return self }
    return ConfigurationEntry(
      pattern: pattern.rebased(below: base), requestMethods: requestMethods,
      description: description, source: source, isConstant: isConstant, apply: apply)
  }

  /// Makes the changes. Headers that must not be sent to another origin get their previous values.
  /// (CFG-02)
  ///
  /// - Parameter isOutside: Whether the resource is on another origin than the service's base URL.
  ///   If so, headers that may identify the sender are set only by entries with a pattern. Headers
  ///   with secrets are bound to specific origins, and fail elsewhere.
  /// - Returns: The names of the headers that are not sent, in lower case.
  package func apply(_ settings: inout Configuration, isOutside: Bool)
    throws(RequestError) -> [String]
  {
    guard isOutside, pattern == nil else {
      try apply(&settings)
      return []
    }
    let before = settings.headers
    try apply(&settings)
    guard settings.headers != before else { return [] }
    return settings.headers.restore(before) { !Headers.goesAnywhere($0) }
  }
}

/// Changes settings. Runs when a configuration is computed, not when it is registered (CFG-13).
///
/// If a block throws, it is skipped, and requests of that resource fail with its error: a request
/// is never sent without a block that may set its credentials.
public typealias ConfigurationBlock = (inout Configuration) throws(RequestError) -> Void

/// Computed configurations that several resources share, by the blocks they consist of.
///
/// Belongs to one version of a service's configuration at a time, and has a limited size. A
/// configuration that was removed is computed again, and exists as long as the resources that use
/// it.
struct SharedConfigurations {
  private struct Key: Hashable {
    let blocks: [Int]
    let isOutside: Bool
  }

  private var version = 0
  private var known: [Key: ResolvedConfiguration] = [:]
  private static let limit = 64

  /// - Parameters:
  ///   - blocks: The indices of the blocks that apply, in order. None of them may depend on the
  ///     resource.
  ///   - isOutside: Whether the resources are on another origin than the base URL.
  subscript(blocks: [Int], isOutside: Bool, version: Int) -> ResolvedConfiguration? {
    get { version == self.version ? known[Key(blocks: blocks, isOutside: isOutside)] : nil }
    set {
      if version != self.version || known.count >= SharedConfigurations.limit { known = [:] }
      self.version = version
      known[Key(blocks: blocks, isOutside: isOutside)] = newValue
    }
  }

  mutating func removeAll() { known = [:] }
}
