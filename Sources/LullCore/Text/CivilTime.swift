/// A day and a time of day in the calendar that the internet uses for all of time (proleptic Gregorian),
/// as they are written; in UTC or beside it.
package struct CivilTime: Equatable, Sendable {
  package var year: Int
  /// From 1.
  package var month: Int
  package var day: Int
  package var hour = 0
  package var minute = 0
  /// 60 for a leap second.
  package var second = 0

  /// The seconds since 1970 that can be written with four digits of year.
  package static let writable = -62_167_219_200...253_402_300_799

  package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// The time in UTC at so many seconds since 1970.
  package init(secondsSince1970 seconds: Int) {
    let day = CivilTime.floorDivision(seconds, 86_400)
    let time = seconds - day * 86_400
    // Years here begin in March, eras have 400 of them.
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

  /// Seconds since 1970, if the time is one of a place so many seconds ahead of UTC. A leap second counts
  /// as the one after it.
  ///
  /// nil if there is no such day or time: a leap second ends a day of UTC.
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

  /// The day of the week, 0 for Sunday.
  package var weekday: Int {
    let day = (daysSince1970 + 4) % 7
    return day < 0 ? day + 7 : day
  }

  /// In a calendar whose years begin in March, so that leap days end them.
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
  /// So many decimal digits, filled up with zeros.
  static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
