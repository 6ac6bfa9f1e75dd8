import LullCore

/// Coordinates one load with other hosts by a lease on the server: the host with the lease fetches
/// the entity, and the other hosts poll until there is a newer entity or the lease is free. Home
/// thread only.
final class SharedFetchTurn: FetchTurn {
  private let server: SharedEntityServer
  private let queue: SharedEntityQueue
  private let script: FetchLeaseScript
  private var timer: (any HostTimer)?
  /// The ID of the registration for the next announcement of a write; nil for none.
  private var waiter: Int?
  private var isMine = false
  /// Whether the current request may grant the lease.
  private var isAsking = false
  private var isOver = false
  private var hasAsked = false
  private var hasWaited = false
  /// The timestamp of the newest known entity, in milliseconds; -1 for none.
  private var newest = -1
  private var pause = SharedFetchTurn.shortestPause
  /// The time until which this load waits for other hosts, by the clock's uptime.
  private var deadline = 0.0
  /// Whether the lease may have expired because this load was delayed.
  private var hasLapsed = false
  var isHeldUp: () -> Bool = { false }

  /// All times are in seconds. The pause between two polls grows from the shortest to the longest;
  /// half of each pause is random. `patience` is the time for all polls together.
  private static let shortestPause = 0.01
  private static let longestPause = 0.2
  private static let patience = 30.0

  init(_ server: SharedEntityServer, _ queue: SharedEntityQueue) {
    self.server = server
    self.queue = queue
    script = FetchLeaseScript(place: server.form.place)
  }

  deinit { stopWaiting() }

  private var pump: Pump { server.pump }

  private var isUsable: Bool { server.client.isUsable(server.form.place.tag, on: .entities) }

  /// Runs a script after this process's earlier requests for the same entry.
  private func run(_ call: ScriptCall, _ finish: @escaping (RESPValue?) -> Void) {
    queue.perform(server.form.place.key, on: pump) { [server] done in
      server.client.run(call, on: .entities) { outcome in
        done()
        if case .reply(let value) = outcome { finish(value) } else { finish(nil) }
      }
    }
  }

  // MARK: Requesting the lease

  func seek(
    newerThan timestamp: Double?, within seconds: Double,
    _ answer: @escaping (FetchChance) -> Void
  ) {
    guard !isOver else { return }
    let known = max(newest, timestamp.map(FetchLeaseScript.milliseconds) ?? -1)
    if !hasAsked {
      hasAsked = true
      deadline = pump.clock.uptime + min(max(0, seconds), SharedFetchTurn.patience)
    }
    ask(known, answer)
  }

  private func ask(_ known: Int, _ answer: @escaping (FetchChance) -> Void) {
    guard isUsable, pump.clock.uptime < deadline else { return answer(.fetch) }
    isAsking = true
    run(script.seek(newerThan: known, hasWaited: hasWaited)) { [self] value in
      isAsking = false
      guard !isOver else { return }
      guard let found = value.flatMap(FetchLeaseScript.answer) else { return answer(.fetch) }
      switch found.answer {
      case .leased:
        isMine = true
        newest = found.newest
        keep()
        answer(.fetch)
      case .alone: answer(.fetch)
      case .written:
        newest = found.newest
        answer(.written(isAwaited: hasWaited))
      case .busy:
        hasWaited = true
        wait(known, answer)
      }
    }
  }

  private func wait(_ known: Int, _ answer: @escaping (FetchChance) -> Void) {
    if pause == SharedFetchTurn.shortestPause {
      pump.log(.cache, "waiting: another process loads \(LogText.url(server.local.url))")
    }
    let left = max(0, deadline - pump.clock.uptime)
    let delay = min(pause * (0.5 + pump.random() / 2), left)
    pause = min(pause * 1.6, SharedFetchTurn.longestPause)
    timer = pump.clock.schedule(after: delay) { [weak self] in self?.askAgain(known, answer) }
    // The owner of the lease announces its write, if announcements are received. (NEWS-39)
    waiter = server.client.updates.onNext(server.form.place.digest) { [weak self] in
      self?.askAgain(known, answer)
    }
  }

  private func askAgain(_ known: Int, _ answer: @escaping (FetchChance) -> Void) {
    guard timer != nil, !isOver else { return }
    stopWaiting()
    ask(known, answer)
  }

  private func stopWaiting() {
    timer?.cancel()
    timer = nil
    if let waiter { server.client.updates.forget(waiter, of: server.form.place.digest) }
    waiter = nil
  }

  func announce() {
    guard !isOver, isUsable else { return }
    hasAsked = true
    isAsking = true
    run(script.take) { [self] value in
      isAsking = false
      guard let found = value.flatMap(FetchLeaseScript.answer), found.answer == .leased, !isOver
      else { return }
      isMine = true
      newest = found.newest
      keep()
    }
  }

  // MARK: With the lease

  /// Extends the lease regularly. While the load is delayed, the lease is not extended and expires.
  /// When the load continues, the lease is taken again, unless another host has it.
  private func keep() {
    timer = pump.clock.schedule(after: FetchLeaseScript.lease / 3) { [weak self] in
      guard let self, !isOver else { return }
      if isHeldUp() {
        hasLapsed = true
      } else {
        server.client.post(hasLapsed ? script.take : script.keep, on: .entities)
        hasLapsed = false
      }
      keep()
    }
  }

  func end(_ ending: FetchEnding) {
    guard !isOver else { return }
    isOver = true
    stopWaiting()
    // Requests that are still running are handled before this one.
    if isMine || isAsking { giveBack(ending) }
  }

  private func giveBack(_ ending: FetchEnding) {
    isMine = false
    guard isUsable else { return }
    pump.ending.hold()
    run(script.end(ending, known: newest)) { [pump] _ in pump.ending.release() }
  }
}
