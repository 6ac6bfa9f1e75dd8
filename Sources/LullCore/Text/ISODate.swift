/// Dates and times as APIs write them: `2024-05-01T10:11:12.5+02:00`, and the same without some of its
/// parts. (RFC 3339; ISO 8601)
package enum ISODate {
  /// Why a text is no date.
  package struct Problem: Error, Equatable {
    package let reason: String
  }

  /// A moment, with what is behind the decimal point as it was written.
  package struct Moment: Equatable, Sendable {
    package let seconds: Int
    /// nil if there is none.
    package let fraction: Double?
  }

  /// Reads a day, with or without a time behind `T` or a space, with or without an offset behind that.
  ///
  /// Hyphens and colons may be missing (`20240501T101112Z`), and so may the seconds. A day alone is its
  /// beginning, and what has no offset is UTC. `24:00` is the end of a day; a leap second counts as the
  /// one after it. Weeks (`2024-W18-3`) and days of the year are not read.
  package static func parse(_ text: some Collection<UInt8>) throws(Problem) -> Moment {
    var reader = DateScanner(Array(text))
    return try reader.moment()
  }

  /// The offset of `Z`, `+02:00`, `+0200` or `+02`, in seconds ahead of UTC; nil if the text is none.
  package static func offset(_ text: some Collection<UInt8>) -> Int? {
    var reader = DateScanner(Array(text))
    guard let offset = try? reader.offset(), reader.isAtEnd else { return nil }
    return offset
  }

  /// `2024-05-01T10:11:12Z`, of a time within seconds in `CivilTime.writable` at that offset, rounded to so
  /// many digits behind the decimal point, 0 to 9; at the end of the year 9999 down.
  package static func text(of seconds: Double, digits: Int = 0, aheadOfUTC offset: Int = 0)
    -> String
  {
    var whole = seconds.rounded(.down)
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    var fraction = ((seconds - whole) * scale).rounded()
    if fraction == scale {
      let isLast = Int(whole) + offset == CivilTime.writable.upperBound
      whole += isLast ? 0 : 1
      fraction = isLast ? scale - 1 : 0
    }
    let time = CivilTime(secondsSince1970: Int(whole) + offset)
    let day = [
      CivilTime.digits(time.year, 4), CivilTime.digits(time.month, 2),
      CivilTime.digits(time.day, 2),
    ].joined(separator: "-")
    let clock = [time.hour, time.minute, time.second].map { CivilTime.digits($0, 2) }
    let rest = digits == 0 ? "" : "." + CivilTime.digits(Int(fraction), digits)
    return day + "T" + clock.joined(separator: ":") + rest + offsetText(offset)
  }

  private static func offsetText(_ offset: Int) -> String {
    guard offset != 0 else { return "Z" }
    let minutes = abs(offset) / 60
    return (offset < 0 ? "-" : "+") + CivilTime.digits(minutes / 60, 2) + ":"
      + CivilTime.digits(minutes % 60, 2)
  }
}

extension ISODate {
  /// Walks through a text.
  private struct DateScanner {
    private let text: [UInt8]
    private var index = 0

    init(_ text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { index == text.count }

    mutating func moment() throws(Problem) -> Moment {
      guard let year = number(4) else {
        throw Problem(reason: "it does not begin with a year of four digits")
      }
      let isExtended = take("-")
      guard let month = number(2), !isExtended || take("-"), let day = number(2) else {
        throw Problem(reason: "a day is written as YYYY-MM-DD")
      }
      var time = CivilTime(year: year, month: month, day: day)
      guard (1...12).contains(month) else { throw Problem(reason: "there is no month \(month)") }
      guard time.secondsSince1970() != nil else {
        throw Problem(reason: "that month has no day \(day)")
      }
      guard !isAtEnd else { return try finish(time, fraction: nil, offset: 0) }
      guard take("T") || take("t") || take(" ") else {
        throw Problem(reason: "behind the day comes T and a time")
      }
      guard let hour = number(2) else { throw Problem(reason: "a time is written as hh:mm:ss") }
      time.hour = hour
      let hasColons = take(":")
      guard let minute = number(2) else { throw Problem(reason: "a time is written as hh:mm:ss") }
      time.minute = minute
      var fraction: Double?
      if hasColons ? take(":") : isDigit {
        guard let second = number(2) else { throw Problem(reason: "a time is written as hh:mm:ss") }
        time.second = second
        if take(".") || take(",") { fraction = try fractionDigits() }
      }
      let offset = isAtEnd ? 0 : try offset()
      guard isAtEnd else { throw Problem(reason: "there is more behind it") }
      return try finish(time, fraction: fraction, offset: offset)
    }

    private func finish(_ time: CivilTime, fraction: Double?, offset: Int) throws(Problem) -> Moment
    {
      var time = time
      var days = 0
      if time.hour == 24, time.minute == 0, time.second == 0, fraction ?? 0 == 0 {
        time.hour = 0
        days = 1
      }
      guard let seconds = time.secondsSince1970(aheadOfUTC: offset) else {
        guard time.second != 60 || time.hour > 23 || time.minute > 59 else {
          throw Problem(reason: "a leap second ends a day of UTC")
        }
        throw Problem(reason: "there is no such time of day")
      }
      return Moment(seconds: seconds + days * 86_400, fraction: fraction)
    }

    mutating func offset() throws(Problem) -> Int {
      _ = take(" ")
      if take("Z") || take("z") { return 0 }
      let isBehind = take("-")
      guard isBehind || take("+"), let hours = number(2) else {
        throw Problem(reason: "an offset is written as Z or +hh:mm")
      }
      var minutes = 0
      if take(":") || isDigit {
        guard let number = number(2) else {
          throw Problem(reason: "an offset is written as Z or +hh:mm")
        }
        minutes = number
      }
      guard hours < 24, minutes < 60 else { throw Problem(reason: "there is no such offset") }
      let seconds = (hours * 60 + minutes) * 60
      return isBehind ? -seconds : seconds
    }

    /// Decimal digits as what they stand for behind a point.
    private mutating func fractionDigits() throws(Problem) -> Double {
      let start = index
      while isDigit { index += 1 }
      guard index > start else {
        throw Problem(reason: "there are no digits behind the decimal point")
      }
      // More than a double holds does not change it.
      let digits = text[start..<min(index, start + 30)]
      return Double("0." + String(decoding: digits, as: UTF8.self)) ?? 0
    }

    private var isDigit: Bool { index < text.count && (48...57).contains(text[index]) }

    /// Exactly so many digits.
    private mutating func number(_ count: Int) -> Int? {
      guard index + count <= text.count else { return nil }
      var number = 0
      for digit in text[index..<(index + count)] {
        guard (48...57).contains(digit) else { return nil }
        number = number * 10 + Int(digit) - 48
      }
      index += count
      return number
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }
  }
}
