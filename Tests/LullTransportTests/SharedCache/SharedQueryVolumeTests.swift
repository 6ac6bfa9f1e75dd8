import LullCore
import LullLibC
import LullTestSupport
import LullTesting
import Testing

@testable import LullTransport

/// Pairs of contents in parts of 5,000, on a real server: a fifth of them is stored, and each is
/// looked up as another program writes it. With LULL_QUERY_PAIRS, all 100,000 pairs are compared.
/// One part after the other, because each of them is busy.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct SharedQueryVolumeTests {
  private func key(_ host: SharedCacheHost, _ text: String) throws -> SharedEntityCache.Key {
    let search = try host.service.resource("/search").query(.json(Array(text.utf8)))
    return try #require(host.cache.key(for: search, at: .parsing))
  }

  @Test(arguments: 0..<(getenv("LULL_QUERY_PAIRS") == nil ? 2 : 20))
  func `QUERY-16 on a server, equal contents find each other's entries, and others find none`(
    part: Int
  ) throws {
    let server = try #require(RedisServer(""))
    // A busy machine may take any time.
    let (first, second) = (
      try SharedCacheHost(server.url, patience: 60), try SharedCacheHost(server.url, patience: 60)
    )
    for host in [first, second] { host.service.cachedResourceCountLimit = 4 }
    var random = SeededGenerator(seed: 7400 + UInt64(part))
    let numbers = Array(part * 5_000 + 1...(part + 1) * 5_000).shuffled(using: &random)
    let stored = Array(numbers.prefix(1000)).shuffled(using: &random)
    // Writes and lookups that the server could not take in time are repeated.
    var tries = 0
    while server.entities.count < stored.count, tries < 10 {
      tries += 1
      for (count, number) in stored.enumerated() {
        let entity = Entity(
          content: .text("\(number)"), headers: Headers([("Content-Type", "text/plain")]),
          timestamp: first.service.pump.clock.now)
        let text = #"{"a":\#(number),"b":["é",\#(number % 7)]}"#
        first.cache.writeEntity(entity, forKey: try key(first, text)) {}
        if count % 100 == 99 { first.settle() }
      }
      first.settle()
    }
    #expect(server.entities.count == stored.count)
    let known = Set(stored)
    var wrong: [Int] = []
    var missing = numbers.shuffled(using: &random)
    tries = 0
    repeat {
      tries += 1
      let asked = missing
      missing = []
      var open = 0
      for number in asked {
        let text = [
          #"{ "b" : [ "\u00e9", \#(number % 7).0 ], "a" : \#(number).00 }"#,
          #"{"a":-1,"\u0062":["é",\#(number % 7)],"a":\#(number)e0}"#,
          #"{"a":\#(number)0e-1,"b":["\u00E9",\#(number % 7)]}"#,
        ].randomElement(using: &random)
        open += 1
        second.cache.readEntity(forKey: try key(second, try #require(text))) { entity in
          open -= 1
          switch SharedCacheHost.text(entity) {
          case nil: if known.contains(number) { missing.append(number) }
          case let found:
            if found != "\(number)" || !known.contains(number) { wrong.append(number) }
          }
        }
        if open > 200 { second.loop.turn { open < 100 } }
      }
      second.loop.turn { open == 0 }
    } while !missing.isEmpty && tries < 10
    #expect(wrong == [])
    #expect(missing == [])
  }
}
