import LullCore
import LullSystem
import LullTesting
import Testing

@testable import LullTransport

extension TokenServerTests {
  @Test func `TOK-161 a lease is short until the token is noted, and a lost one sends nothing`()
    throws
  {
    let bench = try ShareBench()
    func renewal(_ client: ShareClient) throws -> OAuth2Renewal? {
      let place = try #require(OAuth2TokenServer(client, settings(), bench.loop.pump, file: nil))
      var turn: Result<OAuth2Turn, TokenFile.Problem>?
      let need = OAuth2TokenNeed(now: 1e12, rejected: nil, unsaved: nil)
      place.begin(need, unless: StopSign()) { turn = $0 }
      bench.loop.turn { turn != nil }
      guard case .success(.due(let renewal))? = turn else { return nil }
      return renewal
    }
    func noted(_ renewal: OAuth2Renewal) throws -> TokenFile.Problem? {
      var answer: TokenFile.Problem??
      let note = try #require(renewal.note)
      note { answer = .some($0) }
      bench.loop.turn { answer != nil }
      return answer ?? nil
    }
    func left() throws -> Int {
      let now = (Int(bench.say("time").first ?? "") ?? 0) * 1_000_000
      return (Int(bench.say("--raw hget \(try key(bench)) until").first ?? "") ?? 0) - now
    }
    let first = try #require(try renewal(bench.client))
    #expect(try left() <= 2_000_000, "one second, and what is missing to a whole one")
    // As if this process had stood still for longer than that.
    _ = bench.say("hset \(try key(bench)) until 0")
    let second = try #require(try renewal(client(bench.server.url, bench.loop)))
    let problem = try #require(try noted(first))
    #expect(problem.isBusy)
    _ = end(first.end, .none(isCertain: true), bench.loop)
    #expect(try noted(second) == nil)
    #expect(try left() > 5_000_000)
    #expect(end(second.end, .got(tokens(1)), bench.loop) == nil)
    #expect(bench.say("--raw hkeys \(try key(bench))") == ["sealed"])
  }
}
