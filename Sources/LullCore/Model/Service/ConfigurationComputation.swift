/// A configuration while blocks change it.
struct ConfigurationComputation {
  private(set) var settings = Configuration()
  /// The first error.
  private(set) var failure: RequestError?
  /// Descriptions of the blocks that have run, if they are logged.
  private(set) var applied: [String] = []
  /// What stays off, the resource being on another origin, if that is logged. (CFG-02)
  private(set) var withheld: [String] = []
  let version: Int
  private let isOutside: Bool
  private let isLogging: Bool

  /// - Parameter isOutside: whether it is that of a resource on another origin than the base.
  init(version: Int, isOutside: Bool, isLogging: Bool) {
    self.version = version
    self.isOutside = isOutside
    self.isLogging = isLogging
  }

  /// Runs blocks in that order; what one that throws has changed does not count.
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
  /// With the block of configuration that has set it.
  fileprivate func error(inBlock description: String) -> RequestError {
    let message = "\(message) (configuration block \(description))"
    return RequestError(
      userMessage: message, cause: .invalidSetting(name: name, message: message))
  }
}

/// One registered block of configuration: where it applies and what it changes.
package struct ConfigurationEntry {
  /// nil: every resource.
  package let pattern: ConfigurationPattern?
  /// Upper case; nil: every method. (CFG-07)
  package let requestMethods: Set<RequestMethod>?
  /// For logs: running number plus text. (CFG-19)
  package let description: String
  /// Where it was registered, as far as anybody knows.
  package let source: SourcePlace?
  /// Whether it makes the same changes for every resource, whenever it runs.
  package let isConstant: Bool
  package let apply: ConfigurationBlock
  /// The environment of which it is the settings; nil: none.
  package internal(set) var environment: String?

  /// What makes its pattern the same one in another process; nil of a function.
  var patternText: String? { pattern.map(\.text) ?? "" }

  package func applies(to url: ResourceURL, method: RequestMethod) throws(RequestError) -> Bool {
    if let requestMethods, !method.isConfigured(by: requestMethods) { return false }
    guard let pattern else { return true }
    return try pattern.matches(url)
  }

  /// The same with a pattern below another base.
  func rebased(below base: ResourceURL?) -> ConfigurationEntry {
    guard let pattern else { return self }
    return ConfigurationEntry(
      pattern: pattern.rebased(below: base), requestMethods: requestMethods,
      description: description, source: source, isConstant: isConstant, apply: apply)
  }

  /// Makes its changes; those of its headers that stay off are put back. (CFG-02)
  ///
  /// - Parameter isOutside: whether the resource is on another origin than the service's base: there
  ///   only what names it, by a pattern, sends headers that may say whose request it is. Those with
  ///   secrets in them have origins of their own, and fail there.
  /// - Returns: the names of the headers that stay off, in lower case.
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

/// Changes settings; runs when a configuration is computed, not when it is registered (CFG-13).
///
/// A block that throws is skipped, and requests of that resource fail with its error: nothing is
/// ever sent without a block that may hold its credentials.
public typealias ConfigurationBlock = (inout Configuration) throws(RequestError) -> Void

/// Computed configurations that several resources have in common, by the blocks they are made of.
///
/// Of one version of a service's configuration at a time. Holds a few: what it no longer knows is
/// computed again, and lives as long as the resources that have it.
struct SharedConfigurations {
  private struct Key: Hashable {
    let blocks: [Int]
    let isOutside: Bool
  }

  private var version = 0
  private var known: [Key: ResolvedConfiguration] = [:]
  private static let limit = 64

  /// - Parameters:
  ///   - blocks: the places of the blocks that apply, in order; none of them may depend on the resource.
  ///   - isOutside: whether the resources are on another origin than the base.
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
