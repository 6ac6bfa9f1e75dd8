/// The settings of a resource, and which block of configuration was the last to change each: what no
/// block has changed is as it was built in.
struct SettingSources {
  /// What all blocks make together.
  private(set) var settings = Configuration()
  /// By the header's name in lower case.
  private(set) var ofHeaders: [String: ConfigurationEntry] = [:]
  /// Of headers that are kept off the wire.
  private(set) var ofOmissions: [String: ConfigurationEntry] = [:]
  /// In the order of the list, as are the words.
  private(set) var ofSettings: [ConfigurationEntry?]
  /// The settings in words; those that are unset have none.
  private(set) var texts: [String?]
  /// What tells them apart besides, in the same order.
  private(set) var fingerprints: [Int]
  /// How many functions of that setting's name a block has added.
  private(set) var functions: [(entry: ConfigurationEntry, name: String, count: Int)] = []
  /// Headers of a block that are not sent, the resource being on another origin. (CFG-02)
  private(set) var withheld: [(entry: ConfigurationEntry, name: String)] = []
  /// Blocks that have raised, and count for nothing.
  private(set) var failures: [(entry: ConfigurationEntry, failure: RequestError)] = []
  private let list: [ExplainedSetting]

  init(of resource: Resource, method: RequestMethod, _ list: [ExplainedSetting]) {
    self.list = list
    let standard = Configuration()
    texts = list.map { $0.words(in: standard) }
    fingerprints = list.map { $0.fingerprint(in: standard) }
    ofSettings = list.map { _ in nil }
    // Settings of the service are none of an invalid resource. (SVC-23)
    guard resource.record.invalidSource == nil else { return }
    settings = resource.service.visitEntries(applyingTo: resource, method: method) { take($0) }
    guard let environment = resource.service.environment else { return }
    // What it has for itself is called otherwise than it was set.
    let own = settings.kept(apart: environment.name)
    texts = list.map { $0.words(in: own) }
    fingerprints = list.map { $0.fingerprint(in: own) }
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
    for (index, setting) in list.enumerated() {
      let words = setting.words(in: applied.after)
      let fingerprint = setting.fingerprint(in: applied.after)
      if words != texts[index] || fingerprint != fingerprints[index] { ofSettings[index] = entry }
      texts[index] = words
      fingerprints[index] = fingerprint
      let count =
        setting.functionCount(in: applied.after) - setting.functionCount(in: applied.before)
      if count > 0 { functions.append((entry, setting.name, count)) }
    }
  }
}
