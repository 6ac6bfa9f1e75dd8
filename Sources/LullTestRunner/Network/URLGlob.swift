/// The URL pattern of a rule. It is a whole URL, or the end of a path, and may contain wildcards.
///
/// `*` matches any text within one path segment, and `**` matches any text. A pattern without a
/// query matches any query.
struct URLGlob: Equatable {
  struct Problem: Error {
    let text: String
  }

  let text: String
  private let pattern: [UInt8]
  private let isWhole: Bool
  private let hasQuery: Bool

  init(_ text: String) throws(Problem) {
    isWhole = text.contains("://")
    guard isWhole || text.hasPrefix("/") else {
      throw Problem(text: "expected a path that begins with / or a whole URL, got '\(text)'")
    }
    self.text = text
    hasQuery = text.contains("?")
    pattern = (isWhole ? [] : Array("**".utf8)) + Array(text.utf8)
  }

  /// The length of the pattern. Of two rules that match, the one with the longer pattern applies.
  var length: Int { text.utf8.count }

  func matches(_ url: String) -> Bool {
    var bytes = Array(url.utf8)
    if !hasQuery, let query = bytes.firstIndex(of: UInt8(ascii: "?")) {
      bytes = Array(bytes[..<query])
    }
    if !isWhole { bytes = URLGlob.path(of: bytes) }
    return URLGlob.matches(pattern[...], bytes[...])
  }

  /// Returns a URL without its scheme and authority.
  private static func path(of url: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    var slashes = 0
    for (place, byte) in url.enumerated() {
      if byte == UInt8(ascii: "?") { return [slash] + url[place...] }
      if byte == slash { slashes += 1 }
      if slashes == 3 { return Array(url[place...]) }
    }
    return [slash]
  }

  private static let star = UInt8(ascii: "*")

  /// Matches a pattern by backtracking to the last `**`, or to the last `*` after it. The time is
  /// at most proportional to the length of the pattern times the squared length of the URL.
  private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
    var (pattern, text) = (pattern, text)
    var any: (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)?
    var part: (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)?
    while true {
      if pattern.starts(with: [star, star]) {
        pattern = pattern.dropFirst(2)
        (any, part) = ((pattern, text), nil)
      } else if pattern.first == star {
        pattern = pattern.dropFirst()
        part = (pattern, text)
      } else if let byte = pattern.first, byte == text.first {
        (pattern, text) = (pattern.dropFirst(), text.dropFirst())
      } else if pattern.isEmpty, text.isEmpty {
        return true
      } else if let last = part, let byte = last.text.first, byte != UInt8(ascii: "/") {
        part = (last.pattern, last.text.dropFirst())
        (pattern, text) = (last.pattern, last.text.dropFirst())
      } else if let last = any, !last.text.isEmpty {
        (any, part) = ((last.pattern, last.text.dropFirst()), nil)
        (pattern, text) = (last.pattern, last.text.dropFirst())
      } else {
        return false
      }
    }
  }
}
