import LullLibC
import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct CivilTimeTests {
  @Test func `ENC-12 days are those of the C library`() {
    for seconds in stride(from: -62_167_219_200, through: 253_402_300_799, by: 40_000_037) {
      var time = time_t(seconds)
      var parts = tm()
      gmtime_r(&time, &parts)
      let civil = CivilTime(secondsSince1970: seconds)
      #expect(
        civil
          == CivilTime(
            year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
            hour: Int(parts.tm_hour), minute: Int(parts.tm_min), second: Int(parts.tm_sec)))
      #expect(civil.weekday == Int(parts.tm_wday))
      #expect(civil.secondsSince1970() == seconds)
    }
  }

  @Test func `ENC-12 every day of 400 years follows the one before`() {
    var day = CivilTime(year: 1900, month: 2, day: 28).secondsSince1970() ?? 0
    var expected = CivilTime(year: 1900, month: 2, day: 28)
    for _ in 0..<146_097 {
      #expect(CivilTime(secondsSince1970: day) == expected)
      day += 86_400
      expected.day += 1
      if expected.secondsSince1970() == nil {
        expected.day = 1
        expected.month = expected.month % 12 + 1
        if expected.month == 1 { expected.year += 1 }
      }
    }
  }

  @Test func `ENC-12 a leap second must be at the end of a UTC day`() {
    let second = CivilTime(year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60)
    #expect(second.secondsSince1970() == 1_483_228_800)
    #expect(second.secondsSince1970(aheadOfUTC: 3600) == nil)
    let ahead = CivilTime(year: 2017, month: 1, day: 1, hour: 0, minute: 59, second: 60)
    #expect(ahead.secondsSince1970(aheadOfUTC: 3600) == 1_483_228_800)
  }
}
