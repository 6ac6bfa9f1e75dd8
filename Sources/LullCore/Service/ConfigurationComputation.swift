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
