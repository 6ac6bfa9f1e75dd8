import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct HTTPDateTests {
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
      ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
      ("Sun, 22 Nov 2026 00:19:39 GMT", 1_795_306_779),
      ("Saturday, 31-Dec-16 23:59:60 GMT", 1_483_228_800),
      ("Mon, 01 Jan 2069 00:00:00 GMT", 3_124_224_000),
    ] as [(Substring, Double)])
  func `RFC 9110 5.6.7: all three forms are read`(text: Substring, seconds: Double) {
    #expect(HTTPDate.parse(text, now: 1_795_306_779) == seconds)
  }

  @Test(
    arguments: [
      "", "tomorrow", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:3x GMT",
      "Sun, 06 Nov 94444 08:49:37 GMT",
      "Sun, 06 Nov 199 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
      "Sun, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
      "Sun, 06 Nov 1994 08:49:60 GMT", "06 Nov 1994 08:49:37 GMT",
    ] as [Substring])
  func `what is no date is none`(text: Substring) {
    #expect(HTTPDate.parse(text, now: 0) == nil)
  }

  @Test func `ENC-11 a year of two digits is at most 50 years ahead`() {
    for (now, digits, year) in [
      (1_795_306_779, 76, 2076), (1_795_306_779, 77, 1977), (1_795_306_779, 26, 2026),
      (0, 20, 2020), (0, 21, 1921), (0, 70, 1970), (4_102_444_800, 50, 2150),
    ] as [(Double, Int, Int)] {
      let seconds = HTTPDate.parse("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: now)
      #expect(seconds.map { CivilTime(secondsSince1970: Int($0)).year } == year)
    }
  }

  @Test func `AGE-02 exact is one of the three forms, in any letter case`() {
    for text in [
      "Sun, 06 Nov 1994 08:49:37 GMT", "sUN, 06 nOV 1994 08:49:37 gmt",
      "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "SUN NOV  6 08:49:37 1994",
    ] {
      #expect(HTTPDate.parse(exactly: text, now: 1_795_306_779) == 784_111_777, "\(text)")
    }
    for text in [
      "Sun, 06 Nov 94 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
      "Sun, 6 Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
      "Mon, 06 Nov 1994 08:49:37 GMT", "Sun Nov 06 08:49:37 1994",
      "Sun, 06 Nov 1994 08:49:37 GMT ", "1994-11-06",
    ] {
      #expect(HTTPDate.parse(exactly: text, now: 1_795_306_779) == nil, "\(text)")
    }
  }

  @Test func `ENC-13 what is written is read again`() {
    for seconds in stride(from: -62_167_219_200, through: 253_402_300_799, by: 86_399_999) {
      #expect(HTTPDate.parse(HTTPDate.text(of: seconds), now: 0) == Double(seconds))
    }
    #expect(HTTPDate.text(of: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
  }
}
