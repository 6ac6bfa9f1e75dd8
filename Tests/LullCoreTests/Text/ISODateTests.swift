import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct ISODateTests {
  @Test func `ENC-10 ENC-13 what is written is read again, in any offset`() throws {
    for seconds in stride(from: -60_000_000_000, through: 250_000_000_000, by: 777_777_777) {
      for offset in [0, 3600, -34_200, 86_340] {
        let text = ISODate.text(of: Double(seconds), aheadOfUTC: offset)
        #expect(try ISODate.parse(text.utf8) == .init(seconds: seconds, fraction: nil))
        #expect(text.utf8.count == (offset == 0 ? 20 : 25))
      }
    }
  }

  @Test func `ENC-13 a fraction is rounded, and carried over`() {
    #expect(ISODate.text(of: 0.5, digits: 3) == "1970-01-01T00:00:00.500Z")
    #expect(ISODate.text(of: 0.9996, digits: 3) == "1970-01-01T00:00:01.000Z")
    #expect(ISODate.text(of: 59.9, digits: 0) == "1970-01-01T00:01:00Z")
    #expect(ISODate.text(of: -0.001, digits: 9) == "1969-12-31T23:59:59.999000000Z")
    #expect(ISODate.text(of: 253_402_300_799.99, digits: 0) == "9999-12-31T23:59:59Z")
  }

  @Test func `ENC-12 no text of a few characters ends it otherwise than with a reason`() {
    let characters = Array("0129-:TZ+. W".utf8)
    var state: UInt64 = 7
    for _ in 0..<20_000 {
      var text = Array("2024-0".utf8)
      for _ in 0..<(state >> 60) + 4 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text.append(characters[Int(state >> 33) % characters.count])
      }
      guard let moment = try? ISODate.parse(text) else { continue }
      #expect(CivilTime.writable.contains(moment.seconds))
    }
  }
}
