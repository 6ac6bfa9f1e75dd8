import LullSystem

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
