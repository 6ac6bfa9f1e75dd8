// The calendar, and the two formats of dates: that of HTTP headers, and ISO 8601.

/// A date and time in the proleptic Gregorian calendar, in UTC or at an offset from UTC.
package struct CivilTime: Equatable, Sendable {
  package var year: Int
  /// The month, starting at 1.
  package var month: Int
  package var day: Int
  package var hour = 0
  package var minute = 0
  /// The second, starting at 0. It is 60 for a leap second.
  package var second = 0

  /// The range of Unix epoch seconds that can be written with a four-digit year.
  package static let writable = -62_167_219_200...253_402_300_799

  package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// Makes the time in UTC for a number of Unix epoch seconds.
  package init(secondsSince1970 seconds: Int) {
    let day = CivilTime.floorDivision(seconds, 86_400)
    let time = seconds - day * 86_400
    // In this calculation, years begin in March, and an era has 400 years.
    let shifted = day + 719_468
    let era = CivilTime.floorDivision(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    self.init(
      year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * part + 2) / 5 + 1,
      hour: time / 3600, minute: time / 60 % 60, second: time % 60)
  }

  /// Converts a local time that is `offset` seconds ahead of UTC to Unix epoch seconds. A leap
  /// second is converted like the second after it.
  ///
  /// Returns nil if the day or the time does not exist. A leap second exists only at the end of a
  /// UTC day.
  package func secondsSince1970(aheadOfUTC offset: Int = 0) -> Int? {
    guard (1...12).contains(month), day >= 1, day <= CivilTime.days(inMonth: month, of: year),
      (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
    else { return nil }
    let seconds = (daysSince1970 * 24 + hour) * 3600 + minute * 60 + second - offset
    guard second < 60 || seconds.isMultiple(of: 86_400) else { return nil }
    return seconds
  }

  package static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2:
      year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The day of the week, starting with 0 for Sunday.
  package var weekday: Int {
    let day = (daysSince1970 + 4) % 7
    return day < 0 ? day + 7 : day
  }

  /// The number of days since 1 January 1970. It is computed in a calendar whose years begin in
  /// March, so that a leap day is the last day of a year.
  private var daysSince1970: Int {
    let year = month <= 2 ? year - 1 : year
    let century = CivilTime.floorDivision(year, 100)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return 365 * year + CivilTime.floorDivision(year, 4) - century
      + CivilTime.floorDivision(century, 4) + dayOfYear - 719_468
  }

  private static func floorDivision(_ number: Int, _ divisor: Int) -> Int {
    let quotient = number / divisor
    return number % divisor < 0 ? quotient - 1 : quotient
  }
}

extension CivilTime {
  /// Returns the decimal digits of a number, padded with zeros to at least `count` digits.
  static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}

/// Parses and writes dates in HTTP headers. A recipient has to accept three formats; Lull writes
/// one of them. (RFC 9110, 5.6.7)
package enum HTTPDate {
  /// Parses a date and returns Unix epoch seconds; nil if the text is not an HTTP date. The day of
  /// the week is not checked.
  ///
  /// - Parameter now: The current time in Unix epoch seconds. A two-digit year is assumed to be at
  ///   most 50 years in the future.
  package static func parse(_ text: some StringProtocol, now: Double) -> Double? {
    let words = text.split(whereSeparator: { " ,-".contains($0) }).map { String($0) }
    guard let first = words.first, isDayName(first) else { return nil }
    // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT
    if words.count == 6, words[5].uppercased() == "GMT" {
      return seconds(year(words[3], now), month: words[2], day: words[1], time: words[4])
    }
    // Sun Nov  6 08:49:37 1994
    if words.count == 5 {
      return seconds(year(words[4], now), month: words[1], day: words[2], time: words[3])
    }
    return nil
  }

  /// Parses a text that is exactly in one of the three formats of HTTP dates, in any letter case.
  /// Returns nil for any other text. In freshness calculations, a text for which this function
  /// returns nil counts as expired. (RFC 9111, 4.2 and 5.3)
  package static func parse(exactly text: String, now: Double) -> Double? {
    guard let seconds = parse(text, now: now), let whole = Int(exactly: seconds),
      forms(of: whole).contains(where: { $0.lowercased() == text.lowercased() })
    else { return nil }
    return seconds
  }

  private static func forms(of seconds: Int) -> [String] {
    let time = CivilTime(secondsSince1970: seconds)
    let clock = clock(of: time)
    let month = months[time.month - 1]
    let day = time.day < 10 ? " \(time.day)" : "\(time.day)"
    return [
      text(of: seconds),
      "\(days[time.weekday]), \(CivilTime.digits(time.day, 2))-\(month)-"
        + "\(CivilTime.digits(time.year % 100, 2)) \(clock) GMT",
      "\(days[time.weekday].prefix(3)) \(month) \(day) \(clock) \(CivilTime.digits(time.year, 4))",
    ]
  }

  private static func clock(of time: CivilTime) -> String {
    [time.hour, time.minute, time.second].map { CivilTime.digits($0, 2) }.joined(separator: ":")
  }

  /// Returns the date for Unix epoch seconds within `CivilTime.writable`:
  /// `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func text(of seconds: Int) -> String {
    let time = CivilTime(secondsSince1970: seconds)
    return "\(days[time.weekday].prefix(3)), \(CivilTime.digits(time.day, 2)) "
      + "\(months[time.month - 1]) \(CivilTime.digits(time.year, 4)) "
      + clock(of: time) + " GMT"
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static let days = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  private static func isDayName(_ word: String) -> Bool {
    let word = word.lowercased()
    return days.contains { $0.lowercased() == word || $0.prefix(3).lowercased() == word }
  }

  private static func year(_ text: String, _ now: Double) -> Int? {
    guard let year = number(text) else { return nil }
    if text.utf8.count == 4 { return year }
    guard text.utf8.count == 2, let second = Int(exactly: now.rounded(.down)) else { return nil }
    let latest = CivilTime(secondsSince1970: second).year + 50
    return latest - (latest - year) % 100
  }

  private static func number(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 4, text.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int(text)
  }

  private static func seconds(_ year: Int?, month: String, day: String, time: String) -> Double? {
    let parts = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
    guard let year, let month = months.firstIndex(where: { $0.lowercased() == month.lowercased() }),
      let day = number(day),
      parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2]
    else { return nil }
    return CivilTime(
      year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second
    ).secondsSince1970().map { Double($0) }
  }
}

/// Parses and writes dates and times in APIs, such as `2024-05-01T10:11:12.5+02:00`. Some
/// components may be missing. (RFC 3339; ISO 8601)
package enum ISODate {
  /// Why a text is not a date.
  package struct Problem: Error, Equatable {
    package let reason: String
  }

  /// A point in time, with the fraction of a second that was written in the text.
  package struct Moment: Equatable, Sendable {
    package let seconds: Int
    /// The fraction of a second; nil if the text has none.
    package let fraction: Double?
  }

  /// Parses a date. `T` or a space and a time may follow the date, and an offset may follow the
  /// time.
  ///
  /// Hyphens and colons may be missing (`20240501T101112Z`), and so may the seconds. A date without
  /// a time means the beginning of the day. Without an offset, the time is in UTC. `24:00` is the
  /// end of a day. A leap second is treated like the second after it. Weeks (`2024-W18-3`) and days
  /// of the year are not supported.
  package static func parse(_ text: some Collection<UInt8>) throws(Problem) -> Moment {
    var reader = DateScanner(Array(text))
    return try reader.moment()
  }

  /// Parses an offset from UTC, such as `Z`, `+02:00`, `+0200` or `+02`. Returns the seconds ahead
  /// of UTC; nil if the text is not an offset.
  package static func offset(_ text: some Collection<UInt8>) -> Int? {
    var reader = DateScanner(Array(text))
    guard let offset = try? reader.offset(), reader.isAtEnd else { return nil }
    return offset
  }

  /// Returns the text of a time at an offset from UTC, such as `2024-05-01T10:11:12Z`. The local
  /// time at that offset has to be within `CivilTime.writable`. The time is rounded to `digits`
  /// digits after the decimal point, from 0 to 9. At the end of the year 9999, the time is rounded
  /// down.
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
  /// Parses a date from the beginning of a text to its end.
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
        throw Problem(reason: "a date must be YYYY-MM-DD")
      }
      var time = CivilTime(year: year, month: month, day: day)
      guard (1...12).contains(month) else { throw Problem(reason: "there is no month \(month)") }
      guard time.secondsSince1970() != nil else {
        throw Problem(reason: "that month has no day \(day)")
      }
      guard !isAtEnd else { return try finish(time, fraction: nil, offset: 0) }
      guard take("T") || take("t") || take(" ") else {
        throw Problem(reason: "after the date there must be T and a time")
      }
      guard let hour = number(2) else { throw Problem(reason: "a time must be hh:mm:ss") }
      time.hour = hour
      let hasColons = take(":")
      guard let minute = number(2) else { throw Problem(reason: "a time must be hh:mm:ss") }
      time.minute = minute
      var fraction: Double?
      if hasColons ? take(":") : isDigit {
        guard let second = number(2) else { throw Problem(reason: "a time must be hh:mm:ss") }
        time.second = second
        if take(".") || take(",") { fraction = try fractionDigits() }
      }
      let offset = isAtEnd ? 0 : try offset()
      guard isAtEnd else { throw Problem(reason: "there is text after the time") }
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
          throw Problem(reason: "a leap second must be at the end of a UTC day")
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
        throw Problem(reason: "an offset must be Z or +hh:mm")
      }
      var minutes = 0
      if take(":") || isDigit {
        guard let number = number(2) else {
          throw Problem(reason: "an offset must be Z or +hh:mm")
        }
        minutes = number
      }
      guard hours < 24, minutes < 60 else { throw Problem(reason: "there is no such offset") }
      let seconds = (hours * 60 + minutes) * 60
      return isBehind ? -seconds : seconds
    }

    /// Parses the decimal digits after a decimal point.
    private mutating func fractionDigits() throws(Problem) -> Double {
      let start = index
      while isDigit { index += 1 }
      guard index > start else {
        throw Problem(reason: "there are no digits after the decimal point")
      }
      // A double has no more digits than these.
      let digits = text[start..<min(index, start + 30)]
      return Double("0." + String(decoding: digits, as: UTF8.self)) ?? 0
    }

    private var isDigit: Bool { index < text.count && (48...57).contains(text[index]) }

    /// Parses a number of exactly `count` digits.
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

/// Parses durations in HTTP headers, which are numbers of seconds. (RFC 9111, section 1.2.2)
enum DeltaSeconds {
  /// Parses a number of seconds. Returns nil if the text contains anything but digits. Values above
  /// 2³¹ count as 2³¹.
  static func parse(_ text: some StringProtocol) -> Double? {
    let digits = text.utf8
    guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Double(min(Int(text) ?? largest, largest))
  }

  private static let largest = 2_147_483_648
}
