import Foundation

/// The dates of HTTP headers, as seconds since 1970.
///
/// Whole seconds are all that the protocol can say, so nothing finer is kept: comparing with
/// `If-Modified-Since` then needs no rounding.
enum HTTPDate {
  private static let format = "%a, %d %b %Y %H:%M:%S GMT"
  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static var now: Int { time(nil) }

  /// The preferred form of RFC 9110, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func string(from seconds: Int) -> String {
    var seconds = seconds
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return String(unsafeUninitializedCapacity: 64) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, 64, format, &parts) }
    }
  }

  /// Reads the preferred form; nil for anything else, which servers are to ignore.
  static func seconds(from text: String) -> Int? {
    let words = text.split { " :".contains($0) }
    guard words.count == 8, words[7] == "GMT", let day = Int32(words[1]),
      let month = months.firstIndex(of: words[2]), let year = Int32(words[3]),
      (1...9999).contains(year),
      let hour = Int32(words[4]), let minute = Int32(words[5]), let second = Int32(words[6])
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
    return timegm(&parts)
  }
}
