import LullCore
import LullTesting
import Testing

@testable import LullTransport

/// What a host leaves behind that ends while it asks the server.
@Suite(.timeLimit(.minutes(20)))
struct SharedCacheEndTests {
  private final class Remains {
    weak var cache: SharedEntityCache?
    weak var service: Service?
    weak var pump: Pump?
    weak var client: ShareClient?

    init(_ host: SharedCacheHost) throws {
      cache = host.cache
      service = host.service
      pump = host.loop.pump
      client = try host.client
    }

    var names: [String] {
      (cache == nil ? [] : ["cache"]) + (service == nil ? [] : ["service"])
        + (pump == nil ? [] : ["pump"]) + (client == nil ? [] : ["client"])
    }
  }

  /// What is left of one that ends when it has turned so often.
  private func remains(_ server: RedisServer, turns: Int, seconds: Double = 0) throws -> Remains {
    let large = String(repeating: "0123456789abcdef", count: 10_000)
    let host = try SharedCacheHost(server.url) { $0.secret = SecretText("geheim") }
    let remains = try Remains(host)
    for number in 0..<20 { host.stub("/\(number)", .text(large)) }
    let loads = (0..<20).map { host.service.resource("/\($0)").loadIfNeeded() }
    for _ in 0..<turns { host.loop.turn(.noWait) }
    [host].turn(seconds: seconds)
    for load in loads where load?.isCompleted == true {
      for _ in 0..<3 { host.service.resource("/3").overrideLocalContent(with: .text("x")) }
    }
    // As a home does that ends.
    for load in loads { load?.cancel() }
    for _ in 0..<100 where host.loop.pump.hasWork { host.loop.turn(.noWait) }
    return remains
  }

  @Test func `SCA-35 a host that ends when all is done is let go of`() throws {
    let server = try #require(RedisServer())
    func run() throws -> Remains {
      let host = try SharedCacheHost(server.url) { $0.secret = SecretText("geheim") }
      let remains = try Remains(host)
      host.loaded("/a", .text("x"))
      return remains
    }
    let left = try run().names
    #expect(left == [])
  }

  @Test func `SCA-35 a host that ends while it asks the server is let go of`() throws {
    let server = try #require(RedisServer())
    for turns in 0..<40 {
      let left = try remains(server, turns: turns).names
      #expect(left == [], "\(turns) turns")
    }
    for step in 0..<10 {
      let left = try remains(server, turns: 0, seconds: Double(step) * 0.02).names
      #expect(left == [], "step \(step)")
    }
  }
}
