import LullCore
import LullSystem

/// One connection to a Redis-compatible server. Commands are sent in order. Each command gets its
/// reply, or fails within a bounded time.
///
/// While the server is unavailable, commands fail immediately. A timer reconnects. Home thread
/// only.
final class ShareLink {
  enum Outcome {
    case reply(RESPValue)
    /// No reply arrived in time. It is unknown whether the server has run the command.
    case unavailable
    /// The key has unexpected data on the server. The text is the server's message.
    case damaged(String)
  }

  typealias Finish = (Outcome) -> Void

  enum State: Equatable {
    case idle
    case connecting
    /// The login is in progress.
    case preparing
    case ready
    /// The server has not replied in time, but may still reply.
    case late
    case down
    case closed
  }

  private struct Waiting {
    let command: RESPCommand
    let isOptional: Bool
    let finish: Finish
  }

  private struct Pending {
    let sent: Double
    var deadline: Double
    /// Called with the outcome of the command; nil if the caller has stopped waiting.
    var finish: Finish?
    var isGreeting = false
    /// Whether the server stays usable after an error reply to this command.
    var isOptional = false
  }

  private(set) var state = State.idle
  private(set) var breaker = ShareBreaker()
  private var latency = ShareLatency()
  /// The last reason why the server could not be used.
  private(set) var trouble: String?
  /// Whether the server has ever replied.
  private(set) var wasReady = false
  /// Called on a later turn when the server becomes usable or unusable.
  var onChange: () -> Void = {}

  private let place: ShareAddress.Place
  private unowned let pump: Pump
  private let authorities: CertificateAuthorities
  private let patience: Patience
  private let greet: (@escaping (Result<[Greeting], ShareProblem>) -> Void) -> Void
  private var socket: StreamSocket?
  private var reader: RESPReader?
  private var waiting: [Waiting] = []
  private var pending = CompactLine<Pending>()
  /// When the last connection attempt began, by the clock's uptime.
  private var connectingSince = 0.0
  private var timer: (any HostTimer)?
  private var timerTime = 0.0
  private var retry: (any HostTimer)?
  /// When the current late state began, by the clock's uptime.
  private var lateSince = 0.0
  /// When bytes were last sent or received, by the clock's uptime, and how many bytes were unsent
  /// then.
  private var movedAt = 0.0
  private var waitingBytes = 0
  /// When the first pending command became the first in the queue, by the clock's uptime.
  private var turnBegan = 0.0

  /// A command that is sent on a new connection before all others.
  struct Greeting {
    let command: RESPCommand
    var isOptional = false
  }

  /// The maximum number of unsent bytes, and of pending replies. Beyond them, the server is
  /// considered not to read.
  private static let mostBytes = 8 << 20
  private static let mostPending = 10_000

  init(
    _ place: ShareAddress.Place, pump: Pump, authorities: CertificateAuthorities,
    patience: Patience = Patience(),
    greet: @escaping (@escaping (Result<[Greeting], ShareProblem>) -> Void) -> Void
  ) {
    self.place = place
    self.pump = pump
    self.authorities = authorities
    self.patience = patience
    self.greet = greet
  }

  deinit { close() }

  func close() {
    guard state != .closed else { return }
    letGo()
    state = .closed
    dropAll()
  }

  // MARK: Sending

  /// Whether the server can reply to a command, as far as is known.
  var isUsable: Bool {
    switch state {
    case .idle, .ready: true
    case .connecting, .preparing:
      breaker.failureCount == 0 && pump.clock.uptime < firstDeadline
    case .late, .down, .closed: false
    }
  }

  /// Sends a command. `finish` is called once: on a later turn with the reply, or inside this call
  /// if there can be no reply.
  ///
  /// - Parameter isOptional: Whether the server stays usable after an error reply to this command.
  func run(_ command: RESPCommand, isOptional: Bool = false, _ finish: @escaping Finish) {
    guard isUsable else { return finish(.unavailable) }
    if state == .ready { return write(command, isOptional: isOptional, finish) }
    // All commands wait for the same first connection, which may take longer than a command.
    waiting.append(Waiting(command: command, isOptional: isOptional, finish: finish))
    connect()
    setTimer()
  }

  /// Sends a command without waiting for its reply. Returns false if the command cannot be sent
  /// now.
  @discardableResult
  func post(
    _ command: RESPCommand, isOptional: Bool = false, _ finish: Finish? = nil
  ) -> Bool {
    guard state == .ready || state == .late else { return false }
    write(command, isOptional: isOptional, finish)
    return true
  }

  private func write(_ command: RESPCommand, isOptional: Bool = false, _ finish: Finish?) {
    guard let socket, let bytes = command.wire else {
      if let finish { pump.enqueue { finish(.unavailable) } }
      return
    }
    let now = pump.clock.uptime
    pending.append(
      Pending(
        sent: now, deadline: now + operationPatience(now), finish: finish, isOptional: isOptional))
    socket.send(bytes)
    waitingBytes = socket.waitingByteCount
    guard waitingBytes <= ShareLink.mostBytes, pending.count <= ShareLink.mostPending
    else {
      return fail("it does not read requests")
    }
    setTimer()
  }

  /// The current timeout of a command, in seconds. It is longer if the server is known to be slow.
  /// (SHR-22)
  var operationPatience: Double { operationPatience(pump.clock.uptime) }

  private func operationPatience(_ now: Double) -> Double {
    latency.patience(from: patience.operation, to: patience.longest, now: now)
  }

  /// The typical reply time in seconds if most replies are late; nil if they are not.
  var latenessOfMost: Double? {
    latency.areMostLate ? latency.typical(now: pump.clock.uptime) : nil
  }

  /// The time until which commands wait for the first connection.
  private var firstDeadline: Double { connectingSince + patience.first }

  /// The number of places in memory that the queue of pending commands uses.
  var pendingPlaceCount: Int { pending.placeCount }

  // MARK: Connecting

  /// Starts to connect, unless there is a connection, or an attempt is running or scheduled.
  func connect() {
    guard state == .idle || state == .down, retry == nil else { return }
    state = .connecting
    connectingSince = pump.clock.uptime
    if let problem = RESPReader.problem ?? CurlLibrary.failure?.message {
      return fail(problem)
    }
    reader = RESPReader()
    socket = StreamSocket(
      place, pump: pump, authorities: authorities, timeout: patience.connecting
    ) { [weak self] event in self?.happened(event) }
    if socket == nil || reader == nil { fail("there is no memory for a connection") }
  }

  /// Reconnects immediately, because another connection has reached the server.
  func retryNow() {
    guard state == .down, retry != nil else { return }
    retry?.cancel()
    retry = nil
    connect()
  }

  private func happened(_ event: StreamSocket.Event) {
    switch event {
    case .opened: prepare()
    case .arrived(let bytes): arrived(bytes)
    case .ended(let reason): fail(reason)
    }
  }

  private func prepare() {
    state = .preparing
    let connection = socket
    greet { [weak self] greetings in
      guard let self, state == .preparing, socket === connection, let connection else { return }
      switch greetings {
      case .failure(let problem): fail(problem.message)
      case .success(let greetings):
        for greeting in greetings {
          guard let bytes = greeting.command.wire else { continue }
          let now = pump.clock.uptime
          pending.append(
            Pending(
              sent: now, deadline: now + patience.connecting, isGreeting: true,
              isOptional: greeting.isOptional))
          connection.send(bytes)
        }
        setTimer()
      }
    }
  }

  private func becomeReady() {
    state = .ready
    trouble = nil
    wasReady = true
    let waiting = waiting
    self.waiting = []
    for entry in waiting { write(entry.command, isOptional: entry.isOptional, entry.finish) }
    pump.enqueue { [weak self] in self?.onChange() }
  }

  // MARK: Replies

  private func arrived(_ bytes: UnsafeRawBufferPointer) {
    guard let reader else { return }
    if patience.whileMoving > 0 { movedAt = pump.clock.uptime }
    do throws(RESPReader.Failure) {
      try reader.feed(bytes)
      // The callback may have closed the connection.
      while self.reader === reader, let value = try reader.next() { answered(value) }
    } catch {
      fail(error.message)
    }
  }

  private func answered(_ value: RESPValue) {
    guard let entry = pending.popFirst() else {
      return fail("it sent an unrequested response")
    }
    let now = pump.clock.uptime
    if patience.whileMoving > 0 { turnBegan = now }
    // The greetings are sent together and take one round trip together, so only the last is
    // measured.
    if !entry.isGreeting || pending.isEmpty {
      latency.note(now - entry.sent, isLate: state == .late, now: now)
    }
    if case .failure(let words) = value, let problem = ShareRefusal(words), !entry.isOptional {
      if let finish = entry.finish { pump.enqueue { finish(.unavailable) } }
      return fail(problem.message)
    }
    if entry.isGreeting {
      if case .failure(let words) = value, !entry.isOptional {
        return fail("it refused: \(LogText.part(words, limit: 120))")
      }
      if pending.isEmpty { becomeReady() }
      return
    }
    if let finish = entry.finish { pump.enqueue { finish(.reply(value)) } }
    guard pending.isEmpty || state == .ready else { return }
    let wasLate = state == .late
    if wasLate { state = .ready }
    breaker.succeed()
    if wasLate { pump.enqueue { [weak self] in self?.onChange() } }
  }

  // MARK: Failures

  /// Closes the connection and fails all commands. The server is tried again after a while.
  func fail(_ reason: String) {
    guard state != .closed, state != .down else { return }
    letGo()
    state = .down
    trouble = reason
    dropAll()
    let delay = breaker.fail(now: pump.clock.uptime, chance: pump.random())
    retry = pump.clock.schedule(after: delay) { [weak self] in
      guard let self else { return }
      retry = nil
      connect()
    }
    pump.enqueue { [weak self] in self?.onChange() }
  }

  private func letGo() {
    socket?.close()
    socket = nil
    reader = nil
    timer?.cancel()
    timer = nil
    retry?.cancel()
    retry = nil
  }

  private func dropAll() {
    let unanswered = pending.all.compactMap(\.finish) + waiting.map(\.finish)
    pending.removeAll()
    waiting = []
    guard !unanswered.isEmpty else { return }
    pump.enqueue { for finish in unanswered { finish(.unavailable) } }
  }

  /// Sets the timer to the next deadline. A deadline exists for the first pending command, for the
  /// late state and for the first connection.
  private func setTimer() {
    var times = waiting.isEmpty ? [] : [firstDeadline]
    if state == .late {
      times.append(lateSince + patience.late)
    } else if let dueTime {
      times.append(dueTime)
    }
    guard let time = times.min(), timer == nil || time < timerTime else { return }
    timer?.cancel()
    timerTime = time
    let delay = max(0, time - pump.clock.uptime)
    timer = pump.clock.schedule(after: delay) { [weak self] in
      guard let self else { return }
      timer = nil
      lookForLate()
      setTimer()
    }
  }

  /// The time after which the first pending command is late; nil if no command is pending.
  private var dueTime: Double? {
    guard let deadline = pending.first?.deadline else { return nil }
    guard patience.whileMoving > 0 else { return deadline }
    return min(
      max(deadline, movedAt + operationPatience),
      max(deadline, turnBegan) + patience.whileMoving)
  }

  private func lookForMovement() {
    guard patience.whileMoving > 0, let socket else { return }
    let count = socket.waitingByteCount
    if count < waitingBytes { movedAt = pump.clock.uptime }
    waitingBytes = count
  }

  private func lookForLate() {
    // This loop itself may have been late, so replies that have arrived are read first.
    socket?.receive()
    lookForMovement()
    let now = pump.clock.uptime
    let isOverdue = dueTime.map { $0 <= now } ?? false
    switch state {
    case .preparing where isOverdue: fail("it does not respond")
    case .late where lateSince + patience.late <= now:
      fail("it did not respond within \(LogText.seconds(patience.late))")
    case .ready where isOverdue: becomeLate(now)
    default: break
    }
    guard firstDeadline <= now else { return }
    let due = waiting
    waiting = []
    for entry in due { entry.finish(.unavailable) }
  }

  private func becomeLate(_ now: Double) {
    state = .late
    lateSince = now
    trouble = "it did not respond within \(Int(operationPatience(now) * 1000)) ms"
    pending.change { entry in
      guard let finish = entry.finish else { return }
      entry.finish = nil
      pump.enqueue { finish(.unavailable) }
    }
    pump.enqueue { [weak self] in self?.onChange() }
  }
}

/// The reason why a server cannot be used. The message contains no credentials.
struct ShareProblem: Error, Equatable {
  let message: String
}

/// The purpose of a connection to the server. Large data has its own connection, so that commands
/// that need a quick reply do not wait behind it.
enum ShareConnection: Hashable {
  /// Limits, tokens, and the number of hosts.
  case counting
  case entities

  var patience: ShareLink.Patience {
    switch self {
    case .counting: ShareLink.Patience()
    case .entities: ShareLink.Patience(whileMoving: 2)
    }
  }
}

extension ShareLink {
  /// Timeouts in seconds, in the order of the properties:
  /// - for a command,
  /// - the maximum for a command if the server is slow,
  /// - the additional time for a command while its bytes are moving, counted from the end of the
  ///   commands before it,
  /// - for the first connection,
  /// - for connecting and for the login,
  /// - until a connection without replies is closed.
  struct Patience {
    var operation = 0.05
    var longest = 1.0
    var whileMoving = 0.0
    var first = 0.5
    var connecting = 2.0
    var late = 1.0
  }
}

/// A cluster node's redirection of a command to another node, by the cluster specification.
enum ClusterRedirection: Equatable {
  /// The slot has moved permanently: `MOVED 3999 127.0.0.1:6381`.
  case moved(ShareAddress.Place)
  /// The slot is being moved to this node: `ASK 3999 …`. Only this command is sent to the node,
  /// after `ASKING`.
  case asked(ShareAddress.Place)
  /// The keys are temporarily on both nodes: `TRYAGAIN`.
  case divided

  /// Returns nil for any other error, or if it names no valid node.
  init?(_ words: String, from place: ShareAddress.Place) {
    if words.hasPrefix("TRYAGAIN") {
      self = .divided
      return
    }
    let words = words.split(separator: " ")
    guard words.count == 3, let other = place.neighbour(words[2]) else { return nil }
    switch words[0] {
    case "MOVED": self = .moved(other)
    case "ASK": self = .asked(other)
    default: return nil
    }
  }
}
