import LullSystem

/// A setting as explanations tell of it: its name in the language of whoever asks, and its value in words.
///
/// Not headers, which are told of one by one.
package struct ExplainedSetting: Sendable {
  private enum Telling: Sendable {
    case value(@Sendable (Configuration) -> String?)
    case functions(@Sendable (Configuration) -> Int)
  }

  package let name: String
  /// What one reads as that a block has switched off.
  let off: String
  private let telling: Telling
  /// What tells a value from another in this process, also what its words do not say.
  private let fingerprint: (@Sendable (Configuration) -> Int)?

  /// One that is told of by its value.
  ///
  /// - Parameter words: nil where it is not set, or switched off.
  package init(
    _ name: String, off: String, fingerprint: (@Sendable (Configuration) -> Int)? = nil,
    words: @escaping @Sendable (Configuration) -> String?
  ) {
    self.name = name
    self.off = off
    self.fingerprint = fingerprint
    telling = .value(words)
  }

  /// One that is told of by how many functions there are.
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
  /// The settings by their names in Swift: how a block of configuration reads them. In the order in which
  /// explanations have them.
  static let all: [ExplainedSetting] = basic + policies + network + [validation] + processing

  private static let basic: [ExplainedSetting] = [
    one("expirationTime") {
      switch $0.expirationTime {
      case .seconds(let seconds): span(seconds)
      case .http: "as answers say"
      }
    },
    one("retryTime") { span($0.retryTime) },
    one("writesInvalidate") { "\($0.writesInvalidate)" },
    one("progressReportingInterval") { span($0.progressReportingInterval) },
    one("limits.timeout") { span($0.limits.timeout) },
    one("limits.connectTimeout") { span($0.limits.connectTimeout) },
    one("limits.maxBodySize") { ByteCount.exact($0.limits.maxBodySize) },
    one("limits.connectionsPerHost") { "\($0.limits.connectionsPerHost)" },
  ]

  private static let validation = one("validation") { $0.validation?.rawValue }

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
    connection("proxy", off: "as the environment says") {
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
    transfer("idleTimeout") { $0.idleTimeout.map { $0.isFinite ? span($0) : "for ever" } },
    transfer("responseType") { $0.responseType?.rawValue },
    transfer("redirects") {
      switch $0.redirects {
      case .follow(let limit): "at most \(limit)"
      case .followWithinOrigin: "within the origin"
      case .answer: "are answers"
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
  /// All of it, so that each change shows.
  fileprivate var words: String {
    let causes = statuses.sorted().map { "\($0)" } + errors.map(\.rawValue).sorted()
    return
      "\(times) times on \(causes.joined(separator: ", ")), after \(LogText.number(backoff.base)) to "
      + "\(LogText.number(backoff.max)) s" + (backoff.hasJitter ? " or less" : "")
      + (isUnsafe ? ", whatever the method" : "")
  }
}

extension RateLimit {
  /// All of it, so that each change shows.
  fileprivate var words: String {
    var words = "\(requests) in \(LogText.number(per)) s"
    switch scope {
    case .block: break
    case .processes: words += ", of all processes"
    case .named(let name): words += ", of all processes as '\(LogText.part(name, limit: 40))'"
    }
    if strict { words += ", counted from the answer" }
    if learns { words += ", less if the server says so" }
    if !free.isEmpty {
      words += ", without \(free.sorted().map { "\($0)" }.joined(separator: ", "))"
    }
    return words
  }
}

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
