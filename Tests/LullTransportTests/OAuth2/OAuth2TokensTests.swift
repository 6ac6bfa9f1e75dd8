import Testing

@testable import LullTransport

/// How long fetched tokens are good.
@Suite(.timeLimit(.minutes(20)))
struct OAuth2TokensTests {
  @Test(arguments: [
    (1000.0, true), (4500, true), (4575, false), (4700, false), (970, true), (900, false),
    (-86_400, false),
  ])
  func `OAU-160 a token that came in a time to come is not good`(now: Double, isGood: Bool) {
    let tokens = OAuth2Tokens(access: "a", refresh: nil, lifetime: 3600, now: 1000)
    #expect(tokens.isGood(now: now) == isGood)
    let kept = StoredToken("a", lifetime: 3600, now: 1000)
    #expect(kept.isGood(now: now) == isGood)
  }

  @Test func `OAU-160 a token without an end is good at any time`() {
    let tokens = OAuth2Tokens(access: "a", refresh: nil, lifetime: nil, now: 1000)
    #expect(tokens.isGood(now: -86_400))
    #expect(tokens.isGood(now: 1e12))
  }
}
