import LullCore

/// The settings of a resource, and which block of configuration was the last to change each: what no
/// block has changed is as it was built in.
struct SettingSources {
  /// What all blocks make together.
  private(set) var settings = Configuration()
  /// By the header's name in lower case.
  private(set) var ofHeaders: [String: ConfigurationEntry] = [:]
  /// Of headers that are kept off the wire.
  private(set) var ofOmissions: [String: ConfigurationEntry] = [:]
  /// By the setting's name, as are the words.
  private(set) var ofSettings: [String: ConfigurationEntry] = [:]
  /// The settings in words; those that are unset have none.
  private(set) var texts: [String: String] = [:]
  /// How many functions of that setting's name a block has added.
  private(set) var functions: [(entry: ConfigurationEntry, name: String, count: Int)] = []
  /// Headers of a block that are not sent, the resource being on another origin. (CFG-02)
  private(set) var withheld: [(entry: ConfigurationEntry, name: String)] = []
  /// Blocks that have raised, and count for nothing.
  private(set) var failures: [(entry: ConfigurationEntry, failure: RequestError)] = []

  init(of resource: Resource, method: RequestMethod) {
    texts = words(for: settings)
    // Settings of the service are none of an invalid resource. (SVC-23)
    guard resource.record.invalidSource == nil else { return }
    let final = resource.service.visitEntries(applyingTo: resource, method: method) { take($0) }
    settings = final
  }

  private mutating func take(_ applied: Service.AppliedEntry) {
    let entry = applied.entry
    if let failure = applied.failure { return failures.append((entry, failure)) }
    for name in applied.after.headers.changedNames(since: applied.before.headers) {
      ofHeaders[name] = entry
    }
    let omitted = applied.before.headers.omitted
    for name in applied.after.headers.omitted where !omitted.contains(name) {
      ofOmissions[name] = entry
    }
    withheld += applied.withheld.map { (entry, $0) }
    let changed = words(for: applied.after)
    for setting in Setting.all {
      if changed[setting.name] != texts[setting.name] { ofSettings[setting.name] = entry }
      let count =
        setting.functionCount(in: applied.after) - setting.functionCount(in: applied.before)
      if count > 0 { functions.append((entry, setting.name, count)) }
    }
    texts = changed
  }

  private func words(for settings: Configuration) -> [String: String] {
    var words: [String: String] = [:]
    for setting in Setting.all { words[setting.name] = setting.words(in: settings) }
    return words
  }
}
