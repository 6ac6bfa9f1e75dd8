import LullCore
import LullSystem

/// The client of the server, or of the nodes of a cluster, through which this home shares data. It
/// connects when the first request is made. Home thread only.
final class ShareClient: PumpGuest {
  let settings: ShareSettings
  /// Identifies the client in this process; above 0.
  let serial = Int.random(in: 1..<Int.max)
  /// Counts how often the server has become ready.
  private(set) var readyCount = 0
  /// The timeouts of each connection. Must be set before the first request, for example by a test
  /// on a busy machine.
  var patience: (ShareConnection) -> ShareLink.Patience = \.patience

  private unowned let pump: Pump
  private let store: SecretStore
  private let allowedHosts: AllowedHosts?
  private let limitsPath: String?
  private lazy var memory = ShareMemory(
    of: "\(settings.address.shown)\n\(settings.namespace)", beside: limitsPath)
  /// Remembers how often the tokens on the server were renewed, to detect that the server has lost
  /// data.
  private(set) lazy var tokens = OAuth2TokenMemory(path: memory.path.map { $0 + "-tokens" })
  private struct LinkName: Hashable {
    let connection: ShareConnection
    let place: ShareAddress.Place
  }

  private var links: [LinkName: ShareLink] = [:]
  /// The known nodes, keyed by the hash tag of the keys that they have, and all nodes that the
  /// cluster has named.
  private var routes: [String: ShareAddress.Place] = [:]
  private var nodes: Set<ShareAddress.Place> = []
  /// The tags whose keys are being moved to another node. For each tag, the node to which they are
  /// moved, if that node replied last.
  private var guests: [String: ShareAddress.Place] = [:]
  private var heartbeat: (any HostTimer)?
  private var beatPause = ShareClient.firstBeat
  private var warnings: ShareWarnings
  private var isClosed = false
  private var heardUpdates: ShareUpdates?
  /// The ID of the last admission. The IDs are unique to this client.
  private var lastNumber = -Int64.random(in: 1 << 40..<1 << 62)

  /// Seconds between two registrations of this host. `firstBeat` is the first interval, which is
  /// then doubled until it reaches `beat`. Hosts that start together discover each other by the
  /// early registrations.
  private static let firstBeat = 0.25
  private static let beat = 20.0
  private static let mostMoves = 3
  /// The maximum number of stored nodes, which is more than any cluster has.
  private static let mostNodes = 1000
  /// The maximum number of failures in a row. A node with more failures is removed.
  private static let mostFailures = 8

  /// - Parameters:
  ///   - limitsPath: The path of the file in which this machine counts admissions; nil for none.
  ///   - allowedHosts: The servers that may be reached; nil for any.
  init(
    _ settings: ShareSettings, _ pump: Pump, limitsPath: String?, allowedHosts: AllowedHosts? = nil,
    warn: @escaping (String) -> Void = CacheStore.warn
  ) {
    self.settings = settings
    self.pump = pump
    self.limitsPath = limitsPath
    self.allowedHosts = allowedHosts
    warnings = ShareWarnings(of: settings.address.shown, warn)
    store = SecretStore(pump: pump)
  }

  deinit { close() }

  func turnBegins() {}
  func turnEnded() {}

  /// Keeps the client open until the pump has ended, because other guests of the pump may still
  /// give back admissions when they close.
  func pumpCloses() {
    if pump.ending.hasEnded { close() } else { pump.add(self) }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    heartbeat?.cancel()
    heardUpdates?.close()
    for link in links.values { link.close() }
    links = [:]
    store.close()
  }

  /// Returns the prefix of a limit's keys. All keys with this prefix are on one node of a cluster.
  func tag(of key: LimitKey) -> String {
    let identity = Hexadecimal.text(key.identity)
    let text = Array("limit\n\(key.name)\n\(identity)".utf8)
    let digest = settings.digest(of: text) ?? Array(key.name.utf8)
    return "lull:{\(settings.namespace):limit:\(Hexadecimal.text(digest.prefix(16)))}"
  }

  func makeNumber() -> Int64 {
    lastNumber -= 1
    return lastNumber
  }

  /// Identifies this machine on the server.
  var host: String { memory.host }

  /// Records that at least `hosts` hosts use one limit.
  func heard(hosts: Int) { memory.remember(atLeast: hosts) }

  /// Returns the part of a limit that this machine may use while the server is unavailable.
  func part(of limit: RateLimit) -> RateLimit { limit.part(of: memory.hosts ?? 1) }

  // MARK: Requests

  /// Whether the server can be asked for data under the tag, as far as is known.
  func isUsable(_ tag: String, on connection: ShareConnection = .counting) -> Bool {
    guard !isClosed else { return false }
    let place = place(of: "\(tag.drop { $0 != "{" })")
    if let link = links[LinkName(connection: connection, place: place)] { return link.isUsable }
    // No new connection is tried if another connection to the node has failed.
    return !isAway(place)
  }

  private func isAway(_ place: ShareAddress.Place) -> Bool {
    links.contains { $0.key.place == place && $0.value.state == .down }
  }

  /// Returns the node that has the keys of a tag. If this node is unknown, returns any available
  /// node, because any node of a cluster can redirect.
  private func place(of tag: String) -> ShareAddress.Place {
    if let place = routes[tag] { return place }
    let named = settings.address.place
    guard !nodes.isEmpty, isAway(named) else { return named }
    return nodes.first { !isAway($0) } ?? named
  }

  /// Adds a node that the cluster has named to the known nodes. Returns false if the node is not
  /// allowed or there are too many nodes.
  private func accept(_ place: ShareAddress.Place) -> Bool {
    guard place.refusal(by: allowedHosts) == nil,
      nodes.contains(place) || nodes.count < ShareClient.mostNodes
    else { return false }
    nodes.insert(place)
    return true
  }

  /// Runs a script. `finish` is called once: on a later turn with the reply, or inside this call if
  /// there can be no reply.
  func run(
    _ call: ScriptCall, on connection: ShareConnection = .counting,
    _ finish: @escaping ShareLink.Finish
  ) {
    guard !isClosed else { return finish(.unavailable) }
    run(call, Way(connection: connection), finish)
  }

  /// How a call is sent. Redirections and other errors change it.
  private struct Way {
    let connection: ShareConnection
    var byDigest = true
    /// How often the call was redirected.
    var moves = 0
    /// The node to which the keys are being moved, to be asked once; nil asks the node that has the
    /// key.
    var guest: ShareAddress.Place?
  }

  private func run(_ call: ScriptCall, _ way: Way, _ finish: @escaping ShareLink.Finish) {
    let link = link(to: way.guest ?? place(of: call.tag), on: way.connection)
    // `ASKING` and the command are sent directly after each other, and answered in that order.
    if way.guest != nil { link.run(ShareClient.asking, isOptional: true) { _ in } }
    link.run(call.command(byDigest: way.byDigest)) { [weak self, weak link] outcome in
      guard let self, let link, !isClosed, case .reply(.failure(let words)) = outcome else {
        if case .reply = outcome { self?.answered(call.tag, way.guest) }
        return finish(outcome)
      }
      refused(words, call, way, by: link, finish)
    }
  }

  /// Records which node replied last for this tag, because that node has the newest data.
  private func answered(_ tag: String, _ guest: ShareAddress.Place?) {
    if guest != nil || !guests.isEmpty { guests[tag] = guest }
  }

  private func refused(
    _ words: String, _ call: ScriptCall, _ way: Way, by link: ShareLink,
    _ finish: @escaping ShareLink.Finish
  ) {
    var way = way
    if way.byDigest, words.hasPrefix("NOSCRIPT") {
      way.byDigest = false
      return run(call, way, finish)
    }
    switch ClusterRedirection(words, from: settings.address.place) {
    case .moved(let place) where way.guest == nil:
      // The cluster does not know the replacement of the unavailable node yet.
      if isAway(place) { break }
      guard way.moves < ShareClient.mostMoves, accept(place) else {
        link.fail("a node of its cluster is not allowed (--allow-host)")
        break
      }
      routes[call.tag] = place
      way.moves += 1
      return run(call, way, finish)
    case .asked(let place) where way.guest == nil && !isAway(place) && accept(place):
      way.guest = place
      return run(call, way, finish)
    case .moved, .asked, .divided:
      // The error describes a temporary state of this key, not of the server.
      break
    case nil where ShareDamage.isMeant(by: words):
      warnings.damage(words, under: call.keys.first ?? "")
      return finish(.damaged(LogText.part(words, limit: 120)))
    case nil:
      link.fail("it refused a script: \(LogText.part(words, limit: 120))")
    }
    finish(.unavailable)
  }

  /// Sends a script call without waiting for a reply. Returns false, without any effect, while the
  /// server is unavailable.
  @discardableResult
  func post(_ call: ScriptCall, on connection: ShareConnection = .counting) -> Bool {
    guard !isClosed else { return false }
    let link = link(for: call.tag, on: connection)
    return link.post(call.command(byDigest: true)) { [weak self, weak link] outcome in
      guard case .reply(.failure(let words)) = outcome else { return }
      if words.hasPrefix("NOSCRIPT") {
        link?.post(call.command(byDigest: false))
        return
      }
      guard let self, !isClosed else { return }
      // The other node may not know the script yet.
      switch ClusterRedirection(words, from: settings.address.place) {
      case .moved(let place) where accept(place):
        routes[call.tag] = place
        self.link(to: place, on: connection).post(call.command(byDigest: false))
      case .asked(let place) where accept(place):
        let guest = self.link(to: place, on: connection)
        guard guest.post(ShareClient.asking, isOptional: true) else { return }
        guest.post(call.command(byDigest: false))
      default: break
      }
    }
  }

  /// The command that must precede a command for a key that is being moved.
  private static let asking = RESPCommand("ASKING")

  /// Waits a while until at least one replica has received everything that was sent before to the
  /// node of the tag. Then passes the number of these replicas to `finish`. The number is nil if
  /// the user lacks the permission.
  func countReplicas(_ tag: String, _ finish: @escaping (Int?) -> Void) {
    guard !isClosed else { return finish(nil) }
    let milliseconds = Int(patience(.counting).operation * 600)
    let command = RESPCommand("WAIT", "1", "\(milliseconds)")
    link(to: guests[tag] ?? place(of: tag), on: .counting).run(command, isOptional: true) {
      outcome in
      guard case .reply(let value) = outcome else { return finish(0) }
      finish(value.integer.map { Int(clamping: $0) })
    }
  }

  /// Announces that data was written under the tag. Has no effect while the server is unavailable.
  func publish(_ message: UpdateMessage, tag: String) {
    guard !isClosed else { return }
    let command = RESPCommand("PUBLISH", settings.updateChannel, message.text)
    link(for: tag, on: .entities).post(command, isOptional: true) { [weak self] in
      self?.updates.published($0)
    }
  }

  /// Receives the announcements of other hosts. Created at the first access.
  var updates: ShareUpdates {
    if let heardUpdates { return heardUpdates }
    let place = settings.address.place
    let updates = ShareUpdates(pump, warn: { [weak self] in self?.warnOfUpdates($0) }) { tell in
      ShareChannel(
        settings.updateChannel, pump: pump, authorities: settings.authorities,
        // Any node of a cluster receives all messages.
        place: { [weak self] attempt in self?.place(forUpdates: attempt) ?? place },
        greet: { [weak self] finish in
          guard let self else { return finish(.success([])) }
          greet(finish)
        }, tell: tell)
    }
    updates.onOpen = { [weak self] in
      guard let self else { return }
      for (name, link) in links where name.place == place { link.retryNow() }
    }
    if isClosed { updates.close() }
    heardUpdates = updates
    return updates
  }

  private func place(forUpdates attempt: Int) -> ShareAddress.Place {
    let all = [settings.address.place] + nodes.subtracting([settings.address.place])
    return all[attempt % all.count]
  }

  private func warnOfUpdates(_ text: String) {
    warnings.updates("\(text) \(settings.updateChannel)")
  }

  /// Treats the connection as failed, because the reply to a call for this tag was invalid.
  func refuse(_ tag: String, _ reason: String) {
    link(for: "\(tag.drop { $0 != "{" })", on: .counting).fail(reason)
  }

  private func link(for tag: String, on connection: ShareConnection) -> ShareLink {
    link(to: place(of: tag), on: connection)
  }

  private func link(to place: ShareAddress.Place, on connection: ShareConnection) -> ShareLink {
    let name = LinkName(connection: connection, place: place)
    if let link = links[name] { return link }
    let link = ShareLink(
      name.place, pump: pump, authorities: settings.authorities, patience: patience(connection)
    ) { [weak self] finish in
      guard let self else { return finish(.success([])) }
      greet(finish)
    }
    link.onChange = { [weak self, weak link] in
      if let self, let link { changed(link, name) }
    }
    links[name] = link
    return link
  }

  /// Prepares the first commands for the server: login and database.
  private func greet(_ finish: @escaping (Result<[ShareLink.Greeting], ShareProblem>) -> Void) {
    // The function that stops the fetch is not needed: the store is closed before this object is
    // released.
    _ = store.fetch(settings.password?.secrets ?? []) { [weak self] error in
      guard let self else { return }
      do throws(TransportError) {
        if let error { throw error }
        finish(.success(try settings.greetings(store)))
      } catch {
        finish(.failure(ShareProblem(message: error.message)))
      }
    }
  }

  // MARK: State changes

  private func changed(_ link: ShareLink, _ name: LinkName) {
    guard !isClosed else { return }
    switch link.state {
    case .ready where name.connection == .counting:
      readyCount += 1
      beatNow()
      complainOfLateness(of: link, name.connection)
    case .ready: complainOfLateness(of: link, name.connection)
    case .down:
      if name.connection == .counting { beatPause = ShareClient.firstBeat }
      // The routes to this node are removed. The cluster knows its replacement.
      routes = routes.filter { $0.value != name.place }
      if name.place != settings.address.place,
        link.breaker.failureCount > ShareClient.mostFailures
      {
        nodes.remove(name.place)
        links[name] = nil
        link.close()
      }
      complain(of: link, name.connection)
    default: break
    }
  }

  private func complain(of link: ShareLink, _ connection: ShareConnection) {
    guard let trouble = link.trouble else { return }
    warnings.unusable(trouble, otherwise: withoutServer(connection))
  }

  private func complainOfLateness(of link: ShareLink, _ connection: ShareConnection) {
    guard let seconds = link.latenessOfMost else { return }
    warnings.late(
      taking: seconds, waitingFor: link.operationPatience, otherwise: withoutServer(connection))
  }

  /// Returns a text for the warning that describes the behaviour while the server is unavailable.
  private func withoutServer(_ connection: ShareConnection) -> String {
    switch (connection, memory.hosts) {
    case (.entities, _) where !links.keys.contains { $0.connection == .counting }:
      "this machine stores its entities in a file"
    case (_, nil): "each machine counts separately, and may use the whole limit"
    case (_, 1?): "this machine counts separately"
    case (_, let hosts?):
      "each of \(hosts) machines counts separately, and may use its part of the limit"
    }
  }

  /// Registers this host at the server now, and regularly from then on. Stores the number of hosts
  /// that the server's reply contains.
  private func beatNow() {
    heartbeat?.cancel()
    heartbeat = pump.clock.schedule(after: beatPause) { [weak self] in
      guard let self, isUsable("") else { return }
      beatNow()
    }
    beatPause = min(beatPause * 2, ShareClient.beat)
    let call = ScriptCall(
      script: .hosts, keys: [settings.hostsKey],
      arguments: [memory.host, "\(Int(memory.hostSpan))"])
    run(call) { [weak self] outcome in
      guard case .reply(.integer(let count)) = outcome else { return }
      self?.memory.remember(hosts: Int(clamping: count))
    }
  }
}
