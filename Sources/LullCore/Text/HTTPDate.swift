/// Dates in HTTP headers: three forms that a recipient must know, one that is written. (RFC 9110, 5.6.7)
package enum HTTPDate {
  /// Seconds since 1970; nil if the text is no such date. Which day of the week it says does not count.
  ///
  /// - Parameter now: the time it is, by which a year of two digits is read: as one at most 50 years
  ///   ahead.
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

  /// The same of a text that is exactly one of the three forms, but for its letter case: what is wrong in
  /// anything else has passed, as far as freshness is concerned. (RFC 9111, 4.2 and 5.3)
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

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, of seconds in `CivilTime.writable`.
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

/// Times of HTTP that are numbers of seconds. (RFC 9111, section 1.2.2)
enum DeltaSeconds {
  /// nil of what is not digits alone; what is larger than 2³¹ is that.
  static func parse(_ text: some StringProtocol) -> Double? {
    let digits = text.utf8
    guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Double(min(Int(text) ?? largest, largest))
  }

  private static let largest = 2_147_483_648
}
