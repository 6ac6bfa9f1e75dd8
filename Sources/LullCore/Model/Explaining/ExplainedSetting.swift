import LullSystem

/// A setting that explanations list: its name in Swift or Lua, and functions that return its value
/// as text.
///
/// Headers are not described by this type, because explanations list each header separately.
package struct ExplainedSetting: Sendable {
  private enum Telling: Sendable {
    case value(@Sendable (Configuration) -> String?)
    case functions(@Sendable (Configuration) -> Int)
  }

  package let name: String
  /// The text that is shown for the setting if a block has switched it off.
  let off: String
  private let telling: Telling
  /// Returns a hash of the value, valid within this process. It includes details that the text of
  /// the value does not contain.
  private let fingerprint: (@Sendable (Configuration) -> Int)?

  /// Creates a setting for which explanations show the value.
  ///
  /// - Parameter words: Returns the value as text; nil if the setting is not set, or is switched
  ///   off.
  package init(
    _ name: String, off: String, fingerprint: (@Sendable (Configuration) -> Int)? = nil,
    words: @escaping @Sendable (Configuration) -> String?
  ) {
    self.name = name
    self.off = off
    self.fingerprint = fingerprint
    telling = .value(words)
  }

  /// Creates a setting that consists of functions. Explanations show how many functions there are.
  package init(_ name: String, functions: @escaping @Sendable (Configuration) -> Int) {
    self.name = name
    off = ""
    fingerprint = nil
    telling = .functions(functions)
  }

  func words(in settings: Configuration) -> String? {
    if case .value(let words) = telling { words(settings) } else { nil }
  }

  func fingerprint(in settings: Configuration) -> Int { fingerprint?(settings) ?? 0 }

  func functionCount(in settings: Configuration) -> Int {
    if case .functions(let count) = telling { count(settings) } else { 0 }
  }
}

extension ExplainedSetting {
  /// All settings except headers, with the Swift names that configuration blocks use, in the order
  /// in which explanations list them.
  static let all: [ExplainedSetting] =
    basic + policies + network + graphQL + [validation] + processing

  private static let basic: [ExplainedSetting] = [
    one("expirationTime") {
      switch $0.expirationTime {
      case .seconds(let seconds): span(seconds)
      case .http: "from response headers"
      }
    },
    one("retryTime") { span($0.retryTime) },
    one("writesInvalidate") { "\($0.writesInvalidate)" },
    one("queryMethod") { "\($0.queryMethod)" },
    one("progressReportingInterval") { span($0.progressReportingInterval) },
    one("limits.timeout") { span($0.limits.timeout) },
    one("limits.connectTimeout") { span($0.limits.connectTimeout) },
    one("limits.maxBodySize") { ByteCount.exact($0.limits.maxBodySize) },
    one("limits.connectionsPerHost") { "\($0.limits.connectionsPerHost)" },
  ]

  private static let validation = one("validation") { $0.validation?.rawValue }
  private static let graphQL = [
    one("graphQL") { $0.graphQL ? "true" : nil },
    one("persistedQueries") { $0.persistedQueries == nil ? nil : "true" },
  ]

  private static let policies: [ExplainedSetting] = [
    one("retry") { $0.retry?.words },
    one("rateLimit") { $0.rateLimit?.words },
    one("concurrency") { $0.concurrency.map { "\($0)" } },
  ]

  private static let network: [ExplainedSetting] = [
    connection("certificateAuthorities") { $0.certificateAuthorities.map(text) },
    connection("verifiesServer") { "\($0.verifiesServer)" },
    connection("clientCertificate") { $0.clientCertificate.map(text) },
    connection("clientKey") { $0.clientKey.map(text) },
    connection("proxy", off: "from the environment") {
      switch $0.proxy {
      case .environment: nil
      case .none: "none"
      case .url(let url): text(LogText.url(url))
      }
    },
    connection("hostsWithoutProxy") { $0.hostsWithoutProxy.map(text) },
    connection("addresses") {
      $0.addresses.isEmpty
        ? nil
        : $0.addresses.sorted { $0.key < $1.key }
          .map { text($0.key) + " = " + text($0.value) }.joined(separator: ", ")
    },
    connection("unixSocket") { $0.unixSocket.map(text) },
    connection("httpVersion") { $0.httpVersion?.rawValue },
    transfer("firstByteTimeout") { $0.firstByteTimeout.map(span) },
    transfer("idleTimeout") { $0.idleTimeout.map { $0.isFinite ? span($0) : "no limit" } },
    transfer("responseType") { $0.responseType?.rawValue },
    transfer("redirects") {
      switch $0.redirects {
      case .follow(let limit): "at most \(limit)"
      case .followWithinOrigin: "only within the origin"
      case .answer: "not followed"
      }
    },
    transfer("cookies") { $0.cookies.map { $0.file.map(text) ?? "in memory" } },
    transfer("allowsTruncatedBodies") { "\($0.allowsTruncatedBodies)" },
    transfer("recordsTimings") { "\($0.recordsTimings)" },
  ]

  private static let processing: [ExplainedSetting] = [
    one("pipeline") { LogText.line($0.pipeline) },
    one("auth") { $0.auth?.description },
    ExplainedSetting("mutateRequests") { $0.mutations.count },
    ExplainedSetting("decorateRequests") { $0.decorators.count },
  ]

  // MARK: Parts

  private static func one(
    _ name: String, words: @escaping @Sendable (Configuration) -> String?
  ) -> ExplainedSetting {
    ExplainedSetting(name, off: "nil", words: words)
  }

  private static func transfer(
    _ name: String, words: @escaping @Sendable (TransferOptions) -> String?
  ) -> ExplainedSetting {
    one("options." + name) { words($0.options ?? TransferOptions()) }
  }

  private static func connection(
    _ name: String, off: String = "nil", words: @escaping @Sendable (ConnectionOptions) -> String?
  ) -> ExplainedSetting {
    ExplainedSetting("options.connection." + name, off: off) {
      words(($0.options ?? TransferOptions()).connection)
    }
  }

  private static func span(_ seconds: Double) -> String { LogText.number(seconds) + " s" }

  private static func text(_ text: String) -> String { LogText.part(text, limit: 80) }
}

extension RetryPolicy {
  /// The complete retry policy as text. It contains all values, so that each change is visible.
  fileprivate var words: String {
    let causes = statuses.sorted().map { "\($0)" } + errors.map(\.rawValue).sorted()
    return
      "\(times) times on \(causes.joined(separator: ", ")), after \(LogText.number(backoff.base)) to "
      + "\(LogText.number(backoff.max)) s" + (backoff.hasJitter ? " or less" : "")
      + (isUnsafe ? ", for all methods" : "")
  }
}

extension RateLimit {
  /// The complete rate limit as text. It contains all values, so that each change is visible.
  fileprivate var words: String {
    var words = "\(requests) in \(LogText.number(per)) s"
    switch scope {
    case .block: break
    case .processes: words += ", shared by all processes"
    case .named(let name): words += ", shared as '\(LogText.part(name, limit: 40))'"
    }
    if strict { words += ", strict" }
    if learns { words += ", less if the server's headers say so" }
    if !free.isEmpty {
      words += ", not counting \(free.sorted().map { "\($0)" }.joined(separator: ", "))"
    }
    return words
  }
}

/// The settings of a resource, with the block that has last changed each setting. If no block has
/// changed a setting, it has its default.
struct SettingSources {
  /// The settings after all blocks have run.
  private(set) var settings = Configuration()
  /// The blocks that have last changed headers, keyed by the header's name in lower case.
  private(set) var ofHeaders: [String: ConfigurationEntry] = [:]
  /// The blocks that switch headers off, keyed by the header's name.
  private(set) var ofOmissions: [String: ConfigurationEntry] = [:]
  /// For each setting in `list`, the block that has last changed it; nil if no block has changed
  /// it.
  private(set) var ofSettings: [ConfigurationEntry?]
  /// For each setting in `list`, its value as text; nil if the setting is not set.
  private(set) var texts: [String?]
  /// For each setting in `list`, the fingerprint of its value.
  private(set) var fingerprints: [Int]
  /// The blocks that have added functions to a setting, each with the name of the setting and the
  /// number of functions that the block has added.
  private(set) var functions: [(entry: ConfigurationEntry, name: String, count: Int)] = []
  /// Headers that are not sent because the resource is on another origin than the base URL, each
  /// with the block that has set the header. (CFG-02)
  private(set) var withheld: [(entry: ConfigurationEntry, name: String)] = []
  /// Blocks that have thrown an error, each with its error. Their settings are ignored.
  private(set) var failures: [(entry: ConfigurationEntry, failure: RequestError)] = []
  private let list: [ExplainedSetting]

  init(of resource: Resource, method: RequestMethod, _ list: [ExplainedSetting]) {
    self.list = list
    let standard = Configuration()
    texts = list.map { $0.words(in: standard) }
    fingerprints = list.map { $0.fingerprint(in: standard) }
    ofSettings = list.map { _ in nil }
    // The configuration of an invalid resource does not contain settings of the service. (SVC-23)
    guard resource.record.invalidSource == nil else { return }
    settings = resource.service.visitEntries(applyingTo: resource, method: method) { take($0) }
    guard let environment = resource.service.environment else { return }
    // The environment stores some values, such as cookies, under other names than the blocks have
    // set. The texts show the names that are used.
    let own = settings.kept(apart: environment.name)
    texts = list.map { $0.words(in: own) }
    fingerprints = list.map { $0.fingerprint(in: own) }
  }

  private mutating func take(_ applied: Service.AppliedEntry) {
    let entry = applied.entry
    if let failure = applied.failure { return failures.append((entry, failure)) }
    for name in applied.after.headers.lines.changedNames(since: applied.before.headers.lines) {
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
