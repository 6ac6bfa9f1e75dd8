package import LullCore
import LullSystem

/// Inspects a shared server from outside a program.
package struct ShareInspection {
  /// The state of the server; nil values are unknown.
  package struct Report: Sendable, Equatable {
    /// The URL of the server without user and password.
    package let url: String
    package let namespace: String
    /// The reason why the server cannot be used; nil if it can.
    package var trouble: String?
    /// The shortest response time of a few commands, in seconds.
    package var latency: Double?
    /// The timeout that a program uses for a server of this speed, in seconds.
    package var patience: Double?
    /// The number of hosts within the last minutes.
    package var hosts: Int?
    /// The number of cache entries in the namespace, and their size in bytes. In a cluster, only
    /// the entries of this node are counted.
    package var entities: Int?
    package var entityBytes: Int?
    /// The number of processes that receive announcements through the server; nil if unknown.
    package var listeners: Int?
    /// The server's name and version as it reports them, such as `redis` and `7.0.15`.
    package var software: String?
    package var version: String?
  }

  /// The timeout for servers that are not slow, in seconds.
  package static var usualPatience: Double { ShareConnection.counting.patience.operation }

  private let settings: ShareSettings

  /// The URL of the server without user and password.
  package var url: String { settings.address.shown }

  package init(_ share: Share) throws(ShareError) {
    settings = try ShareSettings(share)
  }

  /// Queries the server. Waits a few seconds at most.
  package func report() throws(TransportError) -> Report {
    try withLink { link, loop in
      var report = Report(url: settings.address.shown, namespace: settings.namespace)
      guard let information = ask(RESPCommand("INFO", "server"), link, loop) else {
        report.trouble = link.trouble ?? "it did not respond"
        return report
      }
      // The reply has lines of the form `name:value`.
      for line in (information.text ?? "").split(whereSeparator: \.isNewline) {
        let parts = line.split(separator: ":", maxSplits: 1).map {
          LogText.part(String($0), limit: 60)
        }
        guard parts.count == 2 else { continue }
        switch parts[0] {
        case "server_name": report.software = parts[1]
        case "valkey_version": report.version = parts[1]
        case "redis_version" where report.version == nil: report.version = parts[1]
        default: break
        }
      }
      if report.version != nil, report.software == nil { report.software = "redis" }
      measure(&report, link, loop)
      let hosts = ask(RESPCommand("ZCARD", settings.hostsKey), link, loop)
      report.hosts = hosts?.integer.map { Int(clamping: $0) }
      lookAtEntities(&report, link, loop)
      let listeners = ask(RESPCommand("PUBSUB", "NUMSUB", settings.updateChannel), link, loop)
      if let parts = listeners?.array, parts.count == 2 {
        report.listeners = parts[1].integer.map { max(0, Int(clamping: $0)) }
      }
      return report
    }
  }

  private func measure(_ report: inout Report, _ link: ShareLink, _ loop: EventLoop) {
    var latency = ShareLatency()
    for _ in 0..<5 {
      let start = SystemClock.uptime
      guard ask(RESPCommand("PING"), link, loop) != nil else { continue }
      let end = SystemClock.uptime
      latency.note(end - start, isLate: false, now: end)
      report.latency = min(report.latency ?? .infinity, end - start)
    }
    let now = SystemClock.uptime
    guard let typical = latency.typical(now: now) else { return }
    let patience = latency.patience(
      from: ShareInspection.usualPatience, to: ShareConnection.counting.patience.longest, now: now)
    report.patience = patience
    if typical > patience {
      report.trouble =
        "it is too slow: responses take \(Int(typical * 1000)) ms, but the timeout is "
        + "\(Int(patience * 1000)) ms"
    }
  }

  private func lookAtEntities(_ report: inout Report, _ link: ShareLink, _ loop: EventLoop) {
    for part in 0..<SharedCacheKey.parts {
      let call = SharedEntityScript.look(SharedCacheKey.tag(part, settings.namespace))
      let numbers = ask(call.command(byDigest: false), link, loop)?.array?.compactMap(\.integer)
      guard let numbers, numbers.count == 2 else { continue }
      report.entities = (report.entities ?? 0) + Int(clamping: max(0, min(numbers[0], 1 << 40)))
      report.entityBytes =
        (report.entityBytes ?? 0) + Int(clamping: max(0, min(numbers[1], 1 << 50)))
    }
  }

  /// Returns the limits that the server counts, sorted by name. In a cluster, these are the limits
  /// on the node that the URL names.
  package func limits() throws(TransportError) -> Result<[LimitInspection.Summary], Unusable> {
    try withLink { link, loop in
      var keys: Set<String> = []
      var cursor = "0"
      // A server might return cursors for ever.
      for _ in 0..<ShareInspection.mostScans {
        let command = RESPCommand(
          "SCAN", cursor, "MATCH", "lull:{\(settings.namespace):limit:*}:meta", "COUNT", "1000")
        guard let parts = ask(command, link, loop)?.array, parts.count == 2,
          let next = parts[0].text, let found = parts[1].array
        else { return .failure(Unusable(message: link.trouble ?? "it did not respond")) }
        keys.formUnion(found.compactMap(\.text))
        cursor = next
        if next == "0" { break }
      }
      let summaries = keys.compactMap { key -> LimitInspection.Summary? in
        let tag = String(key.dropLast(":meta".count))
        let call = LimitScript.call(["look"], tag: tag)
        return ask(call.command(byDigest: false), link, loop).flatMap(ShareInspection.summary)
      }
      return .success(
        summaries.filter { !$0.rules.isEmpty || $0.server != nil || $0.pause != nil }
          .sorted {
            ($0.name, Hexadecimal.text($0.identity)) < ($1.name, Hexadecimal.text($1.identity))
          })
    }
  }

  /// The reason why the server cannot be used.
  package struct Unusable: Error {
    package let message: String
  }

  private static let mostScans = 10_000

  /// Converts the result of the script's `look` operation. Returns nil if it is invalid.
  private static func summary(_ value: RESPValue) -> LimitInspection.Summary? {
    guard let parts = value.array, parts.count == 7, let name = parts[0].text,
      let identity = parts[1].text, let rules = parts[6].array
    else { return nil }
    let digits = identity.utf8.compactMap(Hexadecimal.value)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
      digits[$0] << 4 | digits[$0 + 1]
    }
    var summary = LimitInspection.Summary(name: name, identity: bytes)
    let numbers = parts[2..<6].map { max(-1, $0.integer ?? -1) }
    summary.waiting = Int(clamping: max(0, numbers[0]))
    if numbers[1] >= 0 {
      summary.server = .init(left: Int(clamping: numbers[1]), resetsAfter: Double(numbers[2]) / 1e6)
    }
    if numbers[3] > 0 { summary.pause = Double(numbers[3]) / 1e6 }
    summary.rules = rules.compactMap { rule in
      let numbers = (rule.array ?? []).compactMap(\.integer)
      guard numbers.count == 4 else { return nil }
      return LimitInspection.Rule(
        requests: Int(clamping: numbers[0]), per: Double(numbers[1]) / 1e6,
        used: Int(clamping: numbers[2]),
        opensAfter: numbers[3] < 0 ? nil : Double(numbers[3]) / 1e6)
    }
    return summary
  }

  private func withLink<Value>(
    _ body: (ShareLink, EventLoop) -> Value
  ) throws(TransportError) -> Value {
    let loop = try EventLoop()
    defer { loop.close() }
    let store = SecretStore(pump: loop.pump)
    let link = ShareLink(
      settings.address.place, pump: loop.pump, authorities: settings.authorities,
      patience: .init(operation: 2, first: 3, connecting: 3, late: 2)
    ) { [settings] finish in
      do throws(TransportError) {
        finish(.success(try settings.greetings(store)))
      } catch {
        finish(.failure(ShareProblem(message: error.message)))
      }
    }
    defer { link.close() }
    return body(link, loop)
  }

  /// Sends a command and waits for the reply. Returns nil if there is none.
  private func ask(_ command: RESPCommand, _ link: ShareLink, _ loop: EventLoop) -> RESPValue? {
    var outcome: ShareLink.Outcome?
    link.run(command) { outcome = $0 }
    loop.run { outcome != nil }
    if case .reply(let value)? = outcome { return value }
    return nil
  }
}
