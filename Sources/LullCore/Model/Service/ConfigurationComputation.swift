/// A configuration that is being computed. The configuration blocks that apply to the resource
/// change its settings, one block after another.
struct ConfigurationComputation {
  private(set) var settings = Configuration()
  /// The error of the first block that failed; nil if all blocks succeeded.
  private(set) var failure: RequestError?
  /// The descriptions of the blocks that have run; empty if configurations are not logged.
  private(set) var applied: [String] = []
  /// The names of the headers that are not sent because the resource is on another origin than the
  /// base URL; empty if configurations are not logged. (CFG-02)
  private(set) var withheld: [String] = []
  let version: Int
  private let isOutside: Bool
  private let isLogging: Bool

  /// - Parameter isOutside: Whether the resource is on another origin than the base URL of the
  ///   service.
  init(version: Int, isOutside: Bool, isLogging: Bool) {
    self.version = version
    self.isOutside = isOutside
    self.isLogging = isLogging
  }

  /// Runs the blocks of `entries` with the given indices, in the order of the indices. If a block
  /// throws, its changes are discarded.
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
  /// Returns the error for this setting problem, with the description of the block that set the
  /// invalid value.
  fileprivate func error(inBlock description: String) -> RequestError {
    let message = "\(message) (configuration block \(description))"
    return RequestError(
      userMessage: message, cause: .invalidSetting(name: name, message: message))
  }
}

/// One registered configuration block, with its pattern and methods.
package struct ConfigurationEntry {
  /// The resources that the block applies to; nil for all resources.
  package let pattern: ConfigurationPattern?
  /// The methods that the block applies to, in upper case; nil for all methods. (CFG-07)
  package let requestMethods: Set<RequestMethod>?
  /// The name of the block in logs: its index and a text. (CFG-19)
  package let description: String
  /// The file and line where the block was registered; nil if they are not known.
  package let source: SourcePlace?
  /// Whether the block always makes the same changes, for every resource.
  package let isConstant: Bool
  package let apply: ConfigurationBlock
  /// The name of the environment whose settings the block contains; nil for other blocks.
  package internal(set) var environment: String?

  /// A text that identifies the pattern in other processes. It is empty without a pattern, and nil
  /// if the pattern is a function.
  var patternText: String? { pattern.map(\.text) ?? "" }

  package func applies(to url: ResourceURL, method: RequestMethod) throws(RequestError) -> Bool {
    if let requestMethods, !method.isConfigured(by: requestMethods) { return false }
    guard let pattern else { return true }
    return try pattern.matches(url)
  }

  /// Returns a copy of this entry whose pattern is relative to another base URL.
  func rebased(below base: ResourceURL?) -> ConfigurationEntry {
    guard let pattern else { return self }
    return ConfigurationEntry(
      pattern: pattern.rebased(below: base), requestMethods: requestMethods,
      description: description, source: source, isConstant: isConstant, apply: apply)
  }

  /// Applies the block's changes to `settings`. Headers that must not be sent to another origin get
  /// their previous values again. (CFG-02)
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

/// A function that changes settings. The function runs when a configuration is computed, not when
/// the function is registered (CFG-13).
///
/// If a block throws, its changes are discarded, and requests of the resource fail with the error
/// of the block. No request is sent without the block, because the block may have to set the
/// credentials of the request.
public typealias ConfigurationBlock = (inout Configuration) throws(RequestError) -> Void

/// A cache of computed configurations. Resources to which the same blocks apply share one
/// configuration.
///
/// The cache has a limited size, and contains only configurations of one version of the service's
/// configuration. If a configuration was removed from the cache, it is computed again when it is
/// needed. Resources that already use the removed configuration retain it.
struct SharedConfigurations {
  private struct Key: Hashable {
    let blocks: [Int]
    let isOutside: Bool
  }

  private var version = 0
  private var known: [Key: ResolvedConfiguration] = [:]
  private static let limit = 64

  /// - Parameters:
  ///   - blocks: The indices of the blocks that apply, in order. All these blocks must be constant;
  ///     see `ConfigurationEntry.isConstant`.
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
