import LullCore
import LullSystem

/// A connection that receives the messages that others publish on one channel of a server. The
/// input is untrusted. (RESP 2)
///
/// A lost connection is made again after a pause. Messages that are published during that time are
/// missed. No operation waits for the connection. Home thread only.
final class ShareChannel {
  enum State: Equatable {
    case idle
    case connecting
    /// The login and subscription are in progress.
    case preparing
    case open
    case down
    /// The server does not let this user subscribe. The channel does not retry.
    case refused
    case closed
  }

  /// Timeouts in seconds, in the order of the properties:
  /// - for connecting,
  /// - for the login and the subscription,
  /// - until a `PING` is sent if there is no input,
  /// - for the reply to the `PING`,
  /// - until a lost connection no longer counts as another failure in a row.
  struct Patience {
    var connecting = 2.0
    var preparing = 2.0
    var quiet = 30.0
    var answer = 10.0
    var proven = 5.0
  }

  private(set) var state = State.idle
  /// The last reason why the connection could not be used.
  private(set) var trouble: String?
  /// How often the connection was opened.
  private(set) var openCount = 0
  /// Called on a later turn when the state has changed.
  var onChange: () -> Void = {}

  private let name: String
  private unowned let pump: Pump
  private let authorities: CertificateAuthorities
  private let patience: Patience
  private let place: (_ attempt: Int) -> ShareAddress.Place
  private let greet: (@escaping (Result<[ShareLink.Greeting], ShareProblem>) -> Void) -> Void
  private let tell: ([UInt8]) -> Void
  private var breaker = ShareBreaker()
  private var socket: StreamSocket?
  private var reader: RESPReader?
  /// The pending replies, in order: whether each of them may be an error. The last reply is the
  /// reply to the subscription.
  private var expected: [Bool] = []
  private var timer: (any HostTimer)?
  private var openedAt = 0.0
  private var heardAt = 0.0
  private var isAsked = false

  /// The limits of the input. `mostBytes` limits one message with its envelope, and one read.
  /// `mostParts` limits the nested values of one message.
  private static let mostBytes = 1 << 17
  private static let mostParts = 16

  /// - Parameters:
  ///   - name: The channel's name.
  ///   - place: Returns a server for each attempt. In a cluster, it may be any node.
  ///   - greet: Prepares the first commands.
  ///   - tell: Called with each message, inside a turn.
  init(
    _ name: String, pump: Pump, authorities: CertificateAuthorities,
    patience: Patience = Patience(), place: @escaping (_ attempt: Int) -> ShareAddress.Place,
    greet: @escaping (@escaping (Result<[ShareLink.Greeting], ShareProblem>) -> Void) -> Void,
    tell: @escaping ([UInt8]) -> Void
  ) {
    self.name = name
    self.pump = pump
    self.authorities = authorities
    self.patience = patience
    self.place = place
    self.greet = greet
    self.tell = tell
  }

  deinit { close() }

  /// Starts to connect and subscribe, unless this was done before. Has no effect after the channel
  /// was refused or closed.
  func open() {
    if state == .idle { connect() }
  }

  func close() {
    guard state != .closed else { return }
    letGo()
    state = .closed
  }

  private func letGo() {
    socket?.close()
    socket = nil
    reader = nil
    timer?.cancel()
    timer = nil
    expected = []
    isAsked = false
  }

  // MARK: Connecting

  private func connect() {
    state = .connecting
    if let problem = RESPReader.problem ?? CurlLibrary.failure?.message { return refuse(problem) }
    reader = RESPReader(mostBytes: ShareChannel.mostBytes, mostParts: ShareChannel.mostParts)
    socket = StreamSocket(
      place(breaker.failureCount), pump: pump, authorities: authorities,
      timeout: patience.connecting
    ) { [weak self] event in
      guard let self else { return }
      switch event {
      case .opened: prepare()
      case .arrived(let bytes): arrived(bytes)
      case .ended(let reason): fail(reason)
      }
    }
    if socket == nil || reader == nil { fail("there is no memory for a connection") }
  }

  private func prepare() {
    state = .preparing
    let connection = socket
    greet { [weak self] greetings in
      guard let self, state == .preparing, socket === connection, let connection else { return }
      switch greetings {
      case .failure(let problem): fail(problem.message)
      case .success(let greetings):
        let all = greetings + [ShareLink.Greeting(command: RESPCommand("SUBSCRIBE", name))]
        for greeting in all {
          guard let bytes = greeting.command.wire else { continue }
          expected.append(greeting.isOptional)
          connection.send(bytes)
        }
        wait(patience.preparing) { $0.fail("it does not respond") }
      }
    }
  }

  private func becomeOpen() {
    state = .open
    trouble = nil
    openCount += 1
    openedAt = pump.clock.uptime
    heardAt = openedAt
    waitForSilence()
    changed()
  }

  // MARK: Receiving

  private func arrived(_ bytes: UnsafeRawBufferPointer) {
    guard let reader else { return }
    heardAt = pump.clock.uptime
    isAsked = false
    do throws(RESPReader.Failure) {
      try reader.feed(bytes)
      // The callback may have closed the connection.
      while self.reader === reader, let value = try reader.next() { answered(value) }
    } catch {
      fail(error.message)
    }
  }

  private func answered(_ value: RESPValue) {
    switch state {
    case .preparing: prepared(value)
    case .open: heard(value)
    default: fail("it sent an unrequested response")
    }
  }

  private func prepared(_ value: RESPValue) {
    guard !expected.isEmpty else { return fail("it sent an unrequested response") }
    let isOptional = expected.removeFirst()
    let isSubscription = expected.isEmpty
    if case .failure(let words) = value {
      if isOptional { return }
      let problem =
        ShareRefusal(words)?.message ?? "it refused: \(LogText.part(words, limit: 120))"
      // The user may not use the channel, or the server has no channels.
      let isForGood =
        isSubscription && (words.hasPrefix("NOPERM") || words.hasPrefix("ERR unknown command"))
      return isForGood ? refuse(problem) : fail(problem)
    }
    guard isSubscription else { return }
    guard let parts = value.array, parts.count == 3, parts[0].text == "subscribe",
      parts[1].text == name
    else { return fail("its responses are invalid") }
    becomeOpen()
  }

  private func heard(_ value: RESPValue) {
    let parts = value.array ?? []
    switch parts.first?.text {
    case "message" where parts.count == 3 && parts[1].text == name:
      guard let message = parts[2].bytes else { return fail("its responses are invalid") }
      tell(message)
    case "pong": break
    default: fail("it sent an unrequested response")
    }
  }

  /// Checks regularly whether the connection is lost, because a lost connection may just be silent.
  private func waitForSilence() {
    let due = heardAt + patience.quiet + (isAsked ? patience.answer : 0)
    wait(max(0.01, due - pump.clock.uptime)) { channel in
      // This loop itself may have been late, so input that has arrived is read first.
      channel.socket?.receive()
      guard channel.state == .open else { return }
      let silence = channel.pump.clock.uptime - channel.heardAt
      if channel.isAsked, silence >= channel.patience.quiet + channel.patience.answer {
        return channel.fail("it does not respond")
      }
      if !channel.isAsked, silence >= channel.patience.quiet {
        channel.isAsked = true
        if let bytes = RESPCommand("PING").wire { channel.socket?.send(bytes) }
      }
      channel.waitForSilence()
    }
  }

  private func wait(_ seconds: Double, _ action: @escaping (ShareChannel) -> Void) {
    timer?.cancel()
    timer = pump.clock.schedule(after: seconds) { [weak self] in
      guard let self else { return }
      timer = nil
      action(self)
    }
  }

  // MARK: Failures

  private func fail(_ reason: String) {
    guard state != .closed, state != .down, state != .refused else { return }
    let now = pump.clock.uptime
    if state == .open, now - openedAt >= patience.proven { breaker.succeed() }
    letGo()
    state = .down
    trouble = reason
    wait(breaker.fail(now: now, chance: pump.random())) { $0.connect() }
    changed()
  }

  private func refuse(_ reason: String) {
    letGo()
    state = .refused
    trouble = reason
    changed()
  }

  private func changed() {
    pump.enqueue { [weak self] in self?.onChange() }
  }
}
