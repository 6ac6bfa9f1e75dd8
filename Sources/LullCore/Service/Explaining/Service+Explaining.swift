extension Service {
  /// What one block of configuration makes of the settings of the blocks before it.
  struct AppliedEntry {
    let entry: ConfigurationEntry
    let before: Configuration
    let after: Configuration
    /// Headers of it that are not sent, the resource being on another origin than the base. (CFG-02)
    let withheld: [String]
    /// Why requests of this resource fail: the block has raised, and counts for nothing.
    let failure: RequestError?
  }

  /// All blocks of configuration, in order.
  package var configurationEntries: [ConfigurationEntry] { entries }

  /// Whether a block, or the predicate of one, is being run: an explanation would run it again, and so on.
  package var isRunningBlocks: Bool { isExplaining || configuring != nil }

  /// Visits the blocks that apply to a resource, in order; what they make of the settings together. They
  /// run for it once more. (CFG-13)
  func visitEntries(
    applyingTo resource: Resource, method: RequestMethod, _ visit: (AppliedEntry) -> Void
  ) -> Configuration {
    isExplaining = true
    defer { isExplaining = false }
    var settings = Configuration()
    let isOutside = isOutside(resource.url)
    for entry in entries {
      var changed = settings
      do throws(RequestError) {
        guard try entry.applies(to: resource.url, method: method) else { continue }
        let withheld = try entry.apply(&changed, isOutside: isOutside)
        if changed.policies !== settings.policies {
          try changed.changePolicies { (rules) throws(RequestError) in
            try LimitTable.note(entry.patternText, in: &rules)
          }
        }
        visit(
          AppliedEntry(
            entry: entry, before: settings, after: changed, withheld: withheld, failure: nil))
        settings = changed
      } catch {
        visit(
          AppliedEntry(
            entry: entry, before: settings, after: settings, withheld: [], failure: error))
      }
    }
    return settings
  }
}

extension Resource {
  package var isAskingCaches: Bool {
    if case .running = record.cacheCheck { true } else { false }
  }
}
