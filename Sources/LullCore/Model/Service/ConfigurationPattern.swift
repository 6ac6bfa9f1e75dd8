/// Selects the URLs that a configuration block applies to, and provides the name of the block in
/// logs. (CFG-19, CFG-20)
///
/// A pattern can also be passed to `wipeResources(matching:)` (PAT-22).
public struct ConfigurationPattern {
  /// The name of the pattern in logs: the text of the pattern, or for a function the given
  /// description.
  public let description: String
  /// A text that identifies the pattern in other processes; nil for a function.
  package let text: String?
  /// Returns whether a URL matches. If this function throws, the block is skipped and requests fail
  /// with the error.
  public let matches: (ResourceURL) throws(RequestError) -> Bool

  /// Whether the pattern is a string with wildcards, which may be relative to a base URL.
  private var isWildcard = false

  private init(
    _ description: String, text: String?,
    _ matches: @escaping (ResourceURL) throws(RequestError) -> Bool
  ) {
    self.description = description
    self.text = text
    self.matches = matches
  }

  /// Returns this pattern relative to another base URL. Only strings with wildcards change.
  func rebased(below base: ResourceURL?) -> ConfigurationPattern {
    isWildcard ? .wildcard(description, base: base) : self
  }

  /// Returns a pattern from a string with wildcards. The string is relative to `base`, unless it
  /// begins with a scheme. (PAT-01 to PAT-18)
  public static func wildcard(_ pattern: String, base: ResourceURL?) -> ConfigurationPattern {
    let compiled = WildcardPattern(pattern, base: base)
    var made = ConfigurationPattern(pattern, text: pattern) { (url) throws(RequestError) in
      compiled.matches(url)
    }
    made.isWildcard = true
    return made
  }

  /// Returns a pattern from a regular expression, which may match anywhere in the full URL. (PAT-19
  /// to PAT-21)
  public static func regex(
    _ regex: Regex<AnyRegexOutput>, source: String
  ) -> ConfigurationPattern {
    ConfigurationPattern(source, text: source) { (url) throws(RequestError) in
      // An expression can throw only if a capture transforms its text. Expressions that are
      // compiled from text have no such captures.
      (try? regex.firstMatch(in: url.text)) != nil
    }
  }

  /// Returns a pattern from a function. `source` is a text that identifies the pattern in other
  /// processes.
  package static func text(
    _ source: String, _ matches: @escaping (ResourceURL) throws(RequestError) -> Bool
  ) -> ConfigurationPattern {
    ConfigurationPattern(source, text: source, matches)
  }

  /// Returns a pattern from a function of the URL. (CFG-06)
  public static func predicate(
    _ description: String = "custom",
    _ matches: @escaping (ResourceURL) throws(RequestError) -> Bool
  ) -> ConfigurationPattern {
    ConfigurationPattern(description, text: nil, matches)
  }

  /// Returns a pattern that matches only the given URL. (CFG-05)
  public static func url(_ wanted: ResourceURL) -> ConfigurationPattern {
    ConfigurationPattern(wanted.text, text: wanted.text) { (url) throws(RequestError) in
      url == wanted
    }
  }

  /// A pattern that matches every URL.
  public static var all: ConfigurationPattern {
    ConfigurationPattern("all", text: "") { (_) throws(RequestError) in true }
  }
}

/// A value that selects resources in `configure`, `configureTransformer`, `wipeResources` and
/// `invalidateResources`. Strings with wildcards, resources and regular expressions conform to this
/// protocol. Types of your program can conform to it too. Home thread only.
///
///     api.configure("/volcanos/*/status") { $0.expirationTime = 0.5 }
///     api.configure(/\/users\/[0-9]+$/) { $0.expirationTime = 300 }
public protocol ConfigurationPatternConvertible {
  /// Returns the pattern for resources of the given service. Called once for each registration.
  func configurationPattern(for service: Service) -> ConfigurationPattern
}

/// A string with wildcards is a pattern. It is relative to the base URL, unless it begins with a
/// scheme. (PAT-01 to PAT-18)
extension String: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern {
    .wildcard(self, base: service.baseURL)
  }
}

/// A resource is a pattern that matches only its URL. The pattern stores the URL and does not
/// retain the resource. (CFG-05)
extension Resource: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern { .url(url) }
}

/// A regular expression is a pattern, which may match anywhere in the full URL. (PAT-19 to PAT-21)
/// Logs show the pattern as `regex`, because the text of a regex literal is not known. For a better
/// name in logs, pass a `description`.
extension Regex: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern {
    .regex(Regex<AnyRegexOutput>(self), source: "regex")
  }
}

extension ConfigurationPattern: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern { self }
}

// Allows `.all` and similar expressions as arguments.
extension ConfigurationPatternConvertible where Self == ConfigurationPattern {
  /// A pattern that matches every URL.
  public static var all: ConfigurationPattern { ConfigurationPattern.all }

  /// Returns a pattern from a string with wildcards, as `ConfigurationPattern.wildcard` does.
  /// (PAT-01 to PAT-18)
  public static func wildcard(_ pattern: String, base: ResourceURL?) -> ConfigurationPattern {
    ConfigurationPattern.wildcard(pattern, base: base)
  }

  /// Returns a pattern from a regular expression, which may match anywhere in the full URL. (PAT-19
  /// to PAT-21)
  public static func regex(
    _ regex: Regex<AnyRegexOutput>, source: String
  ) -> ConfigurationPattern {
    ConfigurationPattern.regex(regex, source: source)
  }

  /// Returns a pattern from a function of the URL. (CFG-06)
  public static func predicate(
    _ description: String = "custom",
    _ matches: @escaping (ResourceURL) throws(RequestError) -> Bool
  ) -> ConfigurationPattern {
    ConfigurationPattern.predicate(description, matches)
  }

  /// Returns a pattern that matches only the given URL. (CFG-05)
  public static func url(_ wanted: ResourceURL) -> ConfigurationPattern {
    ConfigurationPattern.url(wanted)
  }
}

/// A URL pattern with wildcards, compiled to tokens that match URLs in a normal form. (PAT-01 to
/// PAT-18)
///
/// `*` matches zero or more characters other than `/`. `?` matches exactly one character other than
/// `/`. `**` matches any number of any characters. `**/` matches any text up to and including a
/// slash, or nothing. The query of the URL is ignored. For a given pattern, the time for a match is
/// proportional to the length of the URL: all ways to match are followed in parallel, without
/// backtracking.
package struct WildcardPattern: Sendable {
  private enum Token: Equatable, Sendable {
    case byte(UInt8)
    /// `?`
    case one
    /// `*`
    case segment
    /// `**`
    case any
    /// The beginning of a group `**/`, which may match nothing. It precedes `untilSlash`.
    case optional
    /// In a group `**/`, the part that matches text: any characters, ending with a slash.
    case untilSlash
  }

  /// The literal beginning of matching URLs, up to the first wildcard, in normal form.
  private let prefix: [UInt8]
  private let tokens: [Token]

  /// Compiles a pattern. If the pattern begins with a scheme, or if there is no base, the pattern
  /// has to match the whole URL. Otherwise the pattern is appended to the base, whether or not it
  /// begins with a slash. (PAT-01 to PAT-05, PAT-16)
  package init(_ pattern: String, base: ResourceURL?) {
    var prefix: [UInt8] = []
    var pattern = WildcardPattern.withASCIIHost(pattern)
    var tokens = pattern.withUTF8 { bytes in
      var bytes = bytes
      if let base, ResourceURL.schemeEnd(bytes) == nil {
        prefix = WildcardPattern.normalizedPath(of: base)
        if bytes.first == UInt8(ascii: "/") { bytes = UnsafeBufferPointer(rebasing: bytes[1...]) }
      }
      return WildcardPattern.tokens(of: bytes)
    }[...]
    while case .byte(let byte)? = tokens.first {
      prefix.append(byte)
      tokens = tokens.dropFirst()
    }
    self.prefix = prefix
    self.tokens = Array(tokens)
  }

  /// Replaces an international host name in the pattern by its ASCII form (A-labels), because URLs
  /// contain the ASCII form. (SVC-40)
  private static func withASCIIHost(_ pattern: String) -> String {
    guard pattern.utf8.contains(where: { $0 >= 0x80 }),
      let start = pattern.firstRange(of: "://")?.upperBound
    else { return pattern }
    let authority = pattern[start...].prefix { $0 != "/" }
    let host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? start)...]
      .prefix { $0 != ":" }
    // An invalid name is left unchanged. It matches no URL.
    guard let name = try? HostName.canonical(Array(host.utf8)) else { return pattern }
    return pattern[..<host.startIndex] + name + pattern[host.endIndex...]
  }

  package func matches(_ url: ResourceURL) -> Bool {
    url.withBytes { matches($0) }
  }

  /// Returns the base URL in normal form, with a slash at the end. The query is left out, because
  /// patterns ignore it (PAT-17).
  private static func normalizedPath(of base: ResourceURL) -> [UInt8] {
    base.withBytes { bytes in
      let path = UnsafeBufferPointer(
        rebasing: bytes[..<ResourceURL.Components(bytes).path.upperBound])
      var result: [UInt8] = []
      appendNormalized(path, to: &result)
      if result.last != UInt8(ascii: "/") { result.append(UInt8(ascii: "/")) }
      return result
    }
  }
}

// MARK: - Compiling

extension WildcardPattern {
  private static func tokens(of pattern: UnsafeBufferPointer<UInt8>) -> [Token] {
    var tokens: [Token] = []
    var literal: [UInt8] = []
    var index = 0
    while index < pattern.count {
      switch pattern[index] {
      case UInt8(ascii: "?"):
        tokens.append(.one)
        index += 1
      case UInt8(ascii: "*"):
        var end = index + 1
        while end < pattern.count, pattern[end] == UInt8(ascii: "*") { end += 1 }
        var stars = end - index
        let isGroup = stars >= 2 && end < pattern.count && pattern[end] == UInt8(ascii: "/")
        // The slash after `**` belongs to the group that may match nothing. (PAT-11)
        if isGroup { stars -= 2 }
        if stars > 0 { tokens.append(stars == 1 ? .segment : .any) }
        if isGroup { tokens += [.optional, .untilSlash] }
        index = isGroup ? end + 1 : end
      default:
        literal.removeAll(keepingCapacity: true)
        index += appendNormalizedUnit(in: pattern, at: index, to: &literal)
        for byte in literal { tokens.append(.byte(byte)) }
      }
    }
    return tokens
  }
}

// MARK: - Matching

extension WildcardPattern {
  private func matches(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
    let end = url.firstIndex(of: UInt8(ascii: "?")) ?? url.count
    let url = UnsafeBufferPointer(rebasing: url[..<end])
    if differsInPrefix(url) { return false }
    let bare = WildcardPattern.bare
    if url.allSatisfy({ bare.contains($0) }) { return matchesNormalized(url) }
    var normalized: [UInt8] = []
    normalized.reserveCapacity(url.count + 16)
    WildcardPattern.appendNormalized(url, to: &normalized)
    return normalized.withUnsafeBufferPointer { matchesNormalized($0) }
  }

  /// Returns true if the URL certainly does not begin with the prefix, whether the URL is in normal
  /// form or not. This quick check rejects most URLs that do not match.
  private func differsInPrefix(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
    let bare = WildcardPattern.bare
    return prefix.withUnsafeBufferPointer { prefix in
      let common = min(prefix.count, url.count)
      var index = 0
      while index < common, url[index] == prefix[index] { index += 1 }
      if index < common {
        // Up to this index the URL is in normal form. A bare character that is not part of an
        // escape is in normal form too, so the difference is real.
        return bare.contains(url[index])
          && (index < 1 || url[index - 1] != UInt8(ascii: "%"))
          && (index < 2 || url[index - 2] != UInt8(ascii: "%"))
      }
      // The normal form may be longer than the URL, unless nothing has to be escaped.
      return url.count < prefix.count && url.allSatisfy { bare.contains($0) }
    }
  }

  private func matchesNormalized(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
    guard url.count >= prefix.count else { return false }
    for index in 0..<prefix.count where url[index] != prefix[index] { return false }
    let rest = url[prefix.count...]
    if tokens.isEmpty { return rest.isEmpty }
    if tokens.count == 1, tokens[0] == .any { return true }
    return withUnsafeTemporaryAllocation(of: Int.self, capacity: 3 * (tokens.count + 1)) { memory in
      memory.initialize(repeating: 0)
      return tokens.withUnsafeBufferPointer { run($0, over: rest, memory) }
    }
  }

  /// Matches the tokens against `text`. For each character, updates the set of all positions in the
  /// pattern that can be reached with the characters read so far.
  private func run(
    _ tokens: UnsafeBufferPointer<Token>, over text: Slice<UnsafeBufferPointer<UInt8>>,
    _ memory: UnsafeMutableBufferPointer<Int>
  ) -> Bool {
    let size = tokens.count + 1
    var current = Positions(
      UnsafeMutableBufferPointer(rebasing: memory[..<size]),
      seen: UnsafeMutableBufferPointer(rebasing: memory[(2 * size)...]))
    var next = Positions(
      UnsafeMutableBufferPointer(rebasing: memory[size..<(2 * size)]),
      seen: UnsafeMutableBufferPointer(rebasing: memory[(2 * size)...]))
    var step = 1
    current.enter(0, tokens, step)
    for byte in text {
      step += 1
      next.count = 0
      let isSlash = byte == UInt8(ascii: "/")
      for position in current.all {
        guard position < tokens.count else { continue }
        switch tokens[position] {
        case .byte(let wanted): if byte == wanted { next.enter(position + 1, tokens, step) }
        case .one: if !isSlash { next.enter(position + 1, tokens, step) }
        case .segment: if !isSlash { next.enter(position, tokens, step) }
        case .any: next.enter(position, tokens, step)
        case .optional: break
        case .untilSlash:
          next.enter(position, tokens, step)
          if isSlash { next.enter(position + 1, tokens, step) }
        }
      }
      if next.count == 0 { return false }
      swap(&current, &next)
    }
    return current.all.contains(tokens.count)
  }

  /// A set of positions in the pattern.
  private struct Positions {
    private let list: UnsafeMutableBufferPointer<Int>
    /// For each position, the number of the last step in which the position was entered. The two
    /// sets of a run share this memory.
    private let seen: UnsafeMutableBufferPointer<Int>
    var count = 0

    init(_ list: UnsafeMutableBufferPointer<Int>, seen: UnsafeMutableBufferPointer<Int>) {
      self.list = list
      self.seen = seen
    }

    var all: Slice<UnsafeMutableBufferPointer<Int>> { list[..<count] }

    /// Adds a position, and the positions that can be reached from it without reading a character.
    mutating func enter(_ position: Int, _ tokens: UnsafeBufferPointer<Token>, _ step: Int) {
      guard seen[position] != step else { return }
      seen[position] = step
      list[count] = position
      count += 1
      guard position < tokens.count else { return }
      switch tokens[position] {
      case .segment, .any:
        enter(position + 1, tokens, step)
      case .optional:
        enter(position + 1, tokens, step)
        enter(position + 2, tokens, step)
      case .byte, .one, .untilSlash:
        break
      }
    }
  }
}

// MARK: - Normal form

extension WildcardPattern {
  /// The characters that are not percent-encoded in normal form. If a URL contains them
  /// percent-encoded, they are decoded, except `/` and `#`.
  private static let bare = ResourceURL.ASCIISet("-._~!$&'()*+,;=:@/[]#")

  /// Appends the normal form of `bytes` to `result`: percent-decodes the bytes and encodes them
  /// again, so that all spellings of a URL have the same form. Escapes of `/`, `?`, `#` and `%` are
  /// left unchanged. (PAT-15)
  private static func appendNormalized(
    _ bytes: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]
  ) {
    var index = 0
    while index < bytes.count { index += appendNormalizedUnit(in: bytes, at: index, to: &result) }
  }

  /// Appends the normal form of the character or escape at `index`. Returns the number of bytes
  /// read from `bytes`.
  private static func appendNormalizedUnit(
    in bytes: UnsafeBufferPointer<UInt8>, at index: Int, to result: inout [UInt8]
  ) -> Int {
    let byte: UInt8
    let staysBare: Bool
    let length: Int
    if let decoded = ResourceURL.Escaping.decodedByte(in: bytes, at: index) {
      byte = decoded
      length = 3
      staysBare =
        bare.contains(byte) && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "#")
    } else {
      byte = bytes[index]
      length = 1
      staysBare = bare.contains(byte)
    }
    if staysBare {
      result.append(byte)
    } else {
      result.append(UInt8(ascii: "%"))
      result.append(ResourceURL.Escaping.hexDigit(byte >> 4))
      result.append(ResourceURL.Escaping.hexDigit(byte & 15))
    }
    return length
  }
}
