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
  private(set) var ofSettings: [Setting: ConfigurationEntry] = [:]
  /// The settings in words; those that are unset have none.
  private(set) var texts: [Setting: String] = [:]
  /// How many functions of that setting's name a block has added.
  private(set) var functions: [(entry: ConfigurationEntry, name: String, count: Int)] = []
  /// Headers of a block that are not sent, the resource being on another origin. (CFG-02)
  private(set) var withheld: [(entry: ConfigurationEntry, name: String)] = []
  /// Blocks that have raised, and count for nothing.
  private(set) var failures: [(entry: ConfigurationEntry, failure: RequestError)] = []

  private let describe: (Setting, LuaValue, Configuration) -> String

  /// Whether it is told of with a text of its own.
  static func isExplained(_ setting: Setting) -> Bool { setting != .headers && !setting.isCall }

  /// - Parameter text: the value of a setting, as people are to read it.
  init(
    of resource: Resource, method: String,
    text: @escaping (Setting, LuaValue, Configuration) -> String
  ) {
    describe = text
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
    for setting in Setting.allCases where changed[setting] != texts[setting] {
      ofSettings[setting] = entry
    }
    texts = changed
    let mutations = applied.after.mutations.count - applied.before.mutations.count
    let decorators = applied.after.decorators.count - applied.before.decorators.count
    for (name, count) in [("mutate_requests", mutations), ("decorate_requests", decorators)]
    where count > 0 {
      functions.append((entry, name, count))
    }
  }

  private func words(for settings: Configuration) -> [Setting: String] {
    var words: [Setting: String] = [:]
    for setting in Setting.allCases where SettingSources.isExplained(setting) {
      words[setting] = setting.value(in: settings).map { describe(setting, $0, settings) }
    }
    return words
  }
}
