import LullCore
import LullLibC
import LullTesting
import Testing

@testable import LullTransport

/// A loop that shares by a server of Debian's.
final class ShareBench {
  let server: RedisServer
  let loop: EventLoop
  let client: ShareClient
  let tag: String
  private let journal = Warnings()

  private final class Warnings {
    var list: [String] = []
  }

  var warnings: [String] { journal.list }

  /// What a test waits for answers where lateness is not what it is about: on a loaded machine 50 ms are no time.
  static func patience(_ lane: ShareConnection) -> ShareLink.Patience {
    var given = lane.patience
    given.operation = 2
    given.first = 5
    return given
  }

  /// - Parameters:
  ///   - url: nil for the server's own socket.
  ///   - isPatient: false for what is said of a server that is late.
  init(_ options: String = "", url: String? = nil, isPatient: Bool = true) throws {
    server = try #require(RedisServer(options))
    loop = try EventLoop()
    let settings = try ShareSettings(Share(url: url ?? server.url))
    client = ShareClient(settings, loop.pump, limitsPath: nil) { [journal] in
      journal.list.append($0)
    }
    if isPatient { client.patience = ShareBench.patience }
    tag = client.tag(of: LimitKey(name: "a"))
    loop.pump.add(client)
  }

  deinit { loop.close() }

  func asker(_ requests: Int, per: Double, host: String = "h") -> LimitAsker {
    LimitAsker(RateLimit(requests: requests, per: per), LimitKey(name: "a"), tag: tag, host: host)
  }

  /// nil if there is no answer.
  func run(_ call: ScriptCall) -> RESPValue? {
    var outcome: ShareLink.Outcome?
    client.run(call) { outcome = $0 }
    loop.turn { outcome != nil }
    if case .reply(let value)? = outcome { return value }
    return nil
  }

  /// - Parameter isSent: whether what is granted is sent at once.
  func ask(
    _ asker: LimitAsker, isSent: Bool = true
  ) throws -> (answer: AdmissionAnswer, number: Int64) {
    let number = client.makeNumber()
    let value = try #require(run(asker.ask(number)))
    let answer = try #require(asker.answer(value, to: number))
    if isSent, case .granted = answer { _ = run(asker.send(number)) }
    return (answer, number)
  }

  func isGranted(_ asker: LimitAsker) throws -> Bool {
    if case .granted = try ask(asker).answer { return true }
    return false
  }

  /// Seconds until it opens; nil if it is open.
  func delay(_ asker: LimitAsker) throws -> Double? {
    if case .opens(let delay) = try ask(asker).answer { return delay }
    return nil
  }

  /// Waits until the server can be asked again.
  func waitUntilUsable() {
    loop.turn { client.isUsable(tag) }
  }

  /// What the server says to somebody else.
  func say(_ line: String) -> [String] { server.say(line) }
}
