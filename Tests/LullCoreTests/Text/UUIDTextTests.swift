import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct UUIDTextTests {
  /// Gives its words one after the other.
  private struct Words: RandomNumberGenerator {
    var words: [UInt64]
    mutating func next() -> UInt64 { words.removeFirst() }
  }

  /// RFC 9562, A.3 and A.6
  @Test func `ENC-09 the vectors of RFC 9562 come out`() {
    var random = Words(words: [0x919108f752d1_0320, 0x1bac_f847db4148a8])
    #expect(UUIDText.random(using: &random) == "919108f7-52d1-4320-9bac-f847db4148a8")
    var one = Words(words: [0x18c4_dc0c0c07398f])
    let id = UUIDText.ordered(at: 1_645_557_742, using: &one)
    #expect(id == "017f22e2-79b0-7000-98c4-dc0c0c07398f")
  }

  @Test func `ENC-09 later ones are sorted behind`() {
    var generator = SystemRandomNumberGenerator()
    var last = ""
    for step in 0..<1000 {
      let id = UUIDText.ordered(at: 1_700_000_000 + Double(step) * 0.000_001, using: &generator)
      #expect(id > last)
      last = id
    }
  }
}
