import Testing

@testable import LullTransport

@Suite(.timeLimit(.minutes(20)))
struct PKCETests {
  @Test func `OAU-04 the challenge is that of RFC 7636, appendix B`() {
    let pkce = PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test func `OAU-04 each verifier is another, of 43 letters that a URL has bare`() {
    let verifiers = (0..<100).map { _ in PKCE().verifier }
    #expect(Set(verifiers).count == 100)
    for verifier in verifiers {
      #expect(verifier.utf8.count == 43)
      #expect(
        verifier.utf8.allSatisfy { byte in
          (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        })
    }
  }
}
