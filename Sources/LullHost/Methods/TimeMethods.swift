import CLullBridge
import LullCore

extension Method {
  static let isoKeys = ["digits", "offset"]

  static let timeMethods: [Method] = [
    .function("time.parse", "s") { call throws(Misuse) in parse(call) },
    .function("time.iso", "nT") { call throws(Misuse) in try writeISO(call) },
    .function("time.http", "n") { call throws(Misuse) in
      let seconds = try call.writableTime(aheadOfUTC: 0).rounded(.down)
      call.return(.string(HTTPDate.text(of: Int(seconds))))
    },
  ]

  /// `lull.time.parse(text)`: ISO 8601 begins with a digit, a date of HTTP with the name of a day.
  private static func parse(_ call: Call) {
    let bytes = call.raw(0).bytes ?? []
    let shown = LogText.part(String(escaping: bytes), limit: 60)
    if let first = bytes.first, UInt8(ascii: "A")...UInt8(ascii: "z") ~= first {
      guard
        let date = HTTPDate.parse(String(decoding: bytes, as: UTF8.self), now: call.pump.clock.now)
      else {
        return call.fail(
          "'\(shown)' is no date of HTTP (such as \(HTTPDate.text(of: 784_111_777)))")
      }
      return call.return(.int(Int64(date)))
    }
    do throws(ISODate.Problem) {
      let moment = try ISODate.parse(bytes)
      let seconds = Int64(moment.seconds)
      call.return(moment.fraction.map { .number(Double(seconds) + $0) } ?? .int(seconds))
    } catch {
      call.fail("'\(shown)' is no date: \(error.reason)")
    }
  }

  /// `lull.time.iso(seconds[, { digits =, offset = }])`
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
  /// The first argument, a time that can be written with four digits of year.
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
