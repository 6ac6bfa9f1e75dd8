/// A configuration while blocks change it.
struct ConfigurationComputation {
  private(set) var settings = Configuration()
  /// The first error.
  private(set) var failure: RequestError?
  /// Descriptions of the blocks that have run, if they are logged.
  private(set) var applied: [String] = []
  let version: Int
  private let isLogging: Bool

  init(version: Int, isLogging: Bool) {
    self.version = version
    self.isLogging = isLogging
  }

  /// Runs blocks in that order; what one that throws has changed does not count.
  mutating func run(_ blocks: [Int], of entries: [ConfigurationEntry], limits: () -> LimitTable) {
    for index in blocks {
      do throws(RequestError) {
        var changed = settings
        try entries[index].apply(&changed)
        if changed.policies !== settings.policies {
          limits().bind(&changed, block: index, version: version)
        }
        settings = changed
        if isLogging { applied.append(entries[index].description) }
      } catch {
        note(error)
      }
    }
  }

  mutating func note(_ error: RequestError) {
    failure = failure ?? error
  }
}
