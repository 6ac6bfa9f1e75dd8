import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct TimestampTests {
  @Test func `COD-18 timestamps are read from texts and numbers, and written as texts`() throws {
    let rows: [(json: String, seconds: Double, written: String)] = [
      ("\"2024-05-01T10:11:12+02:00\"", 1_714_551_072, "\"2024-05-01T08:11:12Z\""),
      ("\"2024-05-01T08:11:12.5Z\"", 1_714_551_072.5, "\"2024-05-01T08:11:12.500Z\""),
      ("\"2024-05-01\"", 1_714_521_600, "\"2024-05-01T00:00:00Z\""),
      ("1714551072", 1_714_551_072, "\"2024-05-01T08:11:12Z\""),
      ("-0.001", -0.001, "\"1969-12-31T23:59:59.999Z\""),
      ("1e300", 1e300, "1e+300"),
    ]
    for row in rows {
      let timestamp = try DecodingTests.decode("[\(row.json)]", [Timestamp].self)
      #expect(timestamp == [Timestamp(secondsSince1970: row.seconds)])
      let text = String(decoding: try JSONDocument.text(encoding: timestamp), as: UTF8.self)
      #expect(text == "[\(row.written)]")
    }
    #expect(Timestamp("2024-05-01") == Timestamp(secondsSince1970: 1_714_521_600))
    #expect(Timestamp("yesterday") == nil)
  }

  @Test func `COD-18 a text that is no date says why, with its coding path`() {
    do {
      _ = try DecodingTests.decode("{\"at\": \"2024-13-01\"}", [String: Timestamp].self)
      Issue.record("it was decoded")
    } catch {
      #expect(
        RequestError.Cause(decoding: Timestamp.self, error).message
          == "cannot decode Timestamp: at: '2024-13-01' is not a date: there is no month 13")
    }
  }
}
