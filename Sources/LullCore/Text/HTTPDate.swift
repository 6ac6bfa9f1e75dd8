/// Dates in HTTP headers, in the three forms a recipient must know. (RFC 9110, 5.6.7)
enum HTTPDate {
  /// Unix epoch seconds; nil if the text is no such date.
  static func parse(_ text: Substring) -> Double? {
    let words = text.split(whereSeparator: { " ,-".contains($0) }).map { String($0) }
    // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT
    if words.count == 6, words[5] == "GMT" {
      return seconds(year: year(words[3]), month: words[2], day: words[1], time: words[4])
    }
    // Sun Nov  6 08:49:37 1994
    if words.count == 5 {
      return seconds(year: year(words[4]), month: words[1], day: words[2], time: words[3])
    }
    return nil
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Of two digits it is the latest year that is not far in the future.
  private static func year(_ text: String) -> Int? {
    guard let year = number(text) else { return nil }
    if text.utf8.count == 4 { return year }
    guard text.utf8.count == 2 else { return nil }
    return year + (year < 70 ? 2000 : 1900)
  }

  private static func number(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 4, text.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int(text)
  }

  private static func seconds(year: Int?, month: String, day: String, time: String) -> Double? {
    guard let year, let month = months.firstIndex(of: month), let day = number(day),
      (1...31).contains(day)
    else { return nil }
    let parts = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
    // A leap second is one more.
    guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    return Double(((days(year, month + 1, day) * 24 + hour) * 60 + minute) * 60 + second)
  }

  /// Days since 1 January 1970, in a calendar whose years begin in March, so that leap days end them.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let century = year / 100
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return 365 * year + year / 4 - century + century / 4 + dayOfYear - 719_468
  }
}
