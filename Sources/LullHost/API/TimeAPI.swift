import CLullBridge
import LullCore

extension APIOwner {
  static let time = APIOwner.module(
    "lull.time", "Converts the dates of APIs and of HTTP to seconds since 1970, and back.",
    "`lull.now()` is the current time; to get the seconds between two times, subtract them.",
    entries: [
      .function(
        "parse", "(text: string): number?, string?",
        """
        Returns the time in a text as seconds since 1970, an integer unless the time has a \
        fraction; nil and an error message if the text is not a date.
        """,
        """
        Accepts ISO 8601 and RFC 3339: a day, or a day with a time after `T` or a space; hyphens, \
        colons, seconds and the offset are optional. A day alone means the beginning of that day, \
        and a time without an offset is in UTC. Also accepts the three date formats of HTTP \
        headers (RFC 9110); the day of the week in them is ignored. A leap second is read as the \
        second after it.
        """,
        example: """
          print(lull.time.parse("2024-05-01T12:11:12+02:00"))      --> 1714558272
          print(lull.time.parse("2024-05-01T10:11:12.5Z"))         --> 1714558272.5
          print(lull.time.parse("Wed, 01 May 2024 10:11:12 GMT"))  --> 1714558272
          print(select(2, lull.time.parse("2023-02-29")))
          --> '2023-02-29' is not a date: that month has no day 29
          """, rules: "ENC-10 ENC-11 ENC-12"
      ) { call throws(Misuse) in parse(call) },
      .function(
        "iso", "(seconds: number, options?: ISOOptions): string",
        "The time in RFC 3339 format, in UTC.",
        "Raises an error for a time outside the years 0 to 9999.",
        example: """
          print(lull.time.iso(1714558272))                            --> 2024-05-01T10:11:12Z
          print(lull.time.iso(1714558272.25))                         --> 2024-05-01T10:11:12.250Z
          print(lull.time.iso(1714558272, { offset = "+02:00" }))     --> 2024-05-01T12:11:12+02:00
          """, rules: "ENC-13"
      ) { call throws(Misuse) in try writeISO(call) },
      .function(
        "http", "(seconds: number): string",
        "The time in the format of HTTP headers, in whole seconds; a fraction is cut off.",
        "Raises an error for a time outside the years 0 to 9999.",
        example: """
          print(lull.time.http(1714558272))          --> Wed, 01 May 2024 10:11:12 GMT
          """, rules: "ENC-13"
      ) { call throws(Misuse) in
        let seconds = try call.writableTime(aheadOfUTC: 0).rounded(.down)
        call.return(.string(HTTPDate.text(of: Int(seconds))))
      },
    ])

  static let isoOptions = APIOwner.table(
    "ISOOptions", "Options of `lull.time.iso`.",
    entries: [
      .field(
        "digits", "integer?",
        """
        The number of digits of the fraction of a second, 0 to 9, to which the time is rounded. \
        Default 3 if the time has a fraction, else 0.
        """
      ),
      .field("offset", "string?", "The offset from UTC, such as `\"+02:00\"`; default `\"Z\"`."),
    ])
}

extension APIOwner {
  static let isoKeys = ["digits", "offset"]

  /// Implements `lull.time.parse(text)`. A text that begins with a digit is parsed as ISO 8601. A
  /// text that begins with a letter is parsed as an HTTP date.
  private static func parse(_ call: Call) {
    let bytes = call.raw(0).bytes ?? []
    let shown = LogText.part(String(escaping: bytes), limit: 60)
    if let first = bytes.first, UInt8(ascii: "A")...UInt8(ascii: "z") ~= first {
      guard
        let date = HTTPDate.parse(String(decoding: bytes, as: UTF8.self), now: call.pump.clock.now)
      else {
        return call.fail(
          "'\(shown)' is not an HTTP date (such as \(HTTPDate.text(of: 784_111_777)))")
      }
      return call.return(.int(Int64(date)))
    }
    do throws(ISODate.Problem) {
      let moment = try ISODate.parse(bytes)
      let seconds = Int64(moment.seconds)
      call.return(moment.fraction.map { .number(Double(seconds) + $0) } ?? .int(seconds))
    } catch {
      call.fail("'\(shown)' is not a date: \(error.reason)")
    }
  }

  /// Implements `lull.time.iso(seconds[, { digits =, offset = }])`.
  private static func writeISO(_ call: Call) throws(Misuse) {
    var digits: Int?
    var offset = 0
    if !call.isNil(1) {
      try call.reading.options.forEach(of: call.index(1), in: call.state, known: isoKeys) {
        name, value throws(Misuse) in
        if name == "digits" {
          guard let number = value.double.flatMap({ Int(exactly: $0) }), (0...9).contains(number)
          else {
            throw .message("'digits' must be a whole number from 0 to 9, got \(value.described)")
          }
          digits = number
        } else {
          guard let seconds = value.bytes.flatMap({ ISODate.offset($0) }) else {
            throw .message("'offset' must be \"Z\" or such as \"+02:00\", got \(value.described)")
          }
          offset = seconds
        }
      }
    }
    let seconds = try call.writableTime(aheadOfUTC: offset)
    let isWhole = seconds == seconds.rounded(.down)
    call.return(
      .string(ISODate.text(of: seconds, digits: digits ?? (isWhole ? 0 : 3), aheadOfUTC: offset)))
  }
}

extension Call {
  /// Returns the first argument, a time in seconds since 1970. Throws if the year of the time does
  /// not have four digits. The year is that in a time zone `offset` seconds ahead of UTC.
  fileprivate func writableTime(aheadOfUTC offset: Int) throws(Misuse) -> Double {
    let seconds = number(0) ?? .nan
    let first = Double(CivilTime.writable.lowerBound - offset)
    let end = Double(CivilTime.writable.upperBound - offset + 1)
    guard seconds >= first, seconds < end else {
      throw .argument(
        1, "seconds since 1970 in the years 0 to 9999 expected, got \(raw(0).described)")
    }
    return seconds
  }
}
