/// Which URLs a block of configuration applies to, and how logs name them. (CFG-19, CFG-20)
///
/// Also passed to `wipeResources(matching:)` (PAT-22).
public struct ConfigurationPattern {
  /// As logs show it: the pattern's text, if it has one.
  public let description: String
  /// What makes it the same one in another process; nil of a function.
  package let text: String?
  /// A predicate that throws settles nothing: the block is skipped and requests fail with its
  /// error.
  public let matches: (ResourceURL) throws(RequestError) -> Bool

  /// Whether it is below a base.
  private var isWildcard = false

  private init(
    _ description: String, text: String?,
    _ matches: @escaping (ResourceURL) throws(RequestError) -> Bool
  ) {
    self.description = description
    self.text = text
    self.matches = matches
  }

  /// The same below another base.
  func rebased(below base: ResourceURL?) -> ConfigurationPattern {
    isWildcard ? .wildcard(description, base: base) : self
  }

  /// A string with wildcards, resolved against `base` unless it begins with a scheme. (PAT-01 to
  /// PAT-18)
  public static func wildcard(_ pattern: String, base: ResourceURL?) -> ConfigurationPattern {
    let compiled = WildcardPattern(pattern, base: base)
    var made = ConfigurationPattern(pattern, text: pattern) { (url) throws(RequestError) in
      compiled.matches(url)
    }
    made.isWildcard = true
    return made
  }

  /// A regular expression, to be found anywhere in the full URL text. (PAT-19 to PAT-21)
  public static func regex(
    _ regex: Regex<AnyRegexOutput>, source: String
  ) -> ConfigurationPattern {
    ConfigurationPattern(source, text: source) { (url) throws(RequestError) in
      // Only a transforming capture can throw, and expressions compiled from text have none.
      (try? regex.firstMatch(in: url.text)) != nil
    }
  }

  /// A pattern with a text of its own, which another process can have as well.
  package static func text(
    _ source: String, _ matches: @escaping (ResourceURL) throws(RequestError) -> Bool
  ) -> ConfigurationPattern {
    ConfigurationPattern(source, text: source, matches)
  }

  /// Any function of the URL. (CFG-06)
  public static func predicate(
    _ description: String = "custom",
    _ matches: @escaping (ResourceURL) throws(RequestError) -> Bool
  ) -> ConfigurationPattern {
    ConfigurationPattern(description, text: nil, matches)
  }

  /// That URL only; of a resource nothing but its URL is kept. (CFG-05)
  public static func url(_ wanted: ResourceURL) -> ConfigurationPattern {
    ConfigurationPattern(wanted.text, text: wanted.text) { (url) throws(RequestError) in
      url == wanted
    }
  }

  /// Every URL.
  public static var all: ConfigurationPattern {
    ConfigurationPattern("all", text: "") { (_) throws(RequestError) in true }
  }
}

/// What says which resources are meant, in `configure`, `configureTransformer`, `wipeResources` and
/// `invalidateResources`: a string with wildcards, a resource, a regular expression, or a type of the
/// program's own. Home thread only.
///
///     api.configure("/volcanos/*/status") { $0.expirationTime = 0.5 }
///     api.configure(/\/users\/[0-9]+$/) { $0.expirationTime = 300 }
public protocol ConfigurationPatternConvertible {
  /// The pattern for resources of that service. Asked for once, when something is registered.
  func configurationPattern(for service: Service) -> ConfigurationPattern
}

/// Wildcards, resolved against the base URL unless the string begins with a scheme. (PAT-01 to PAT-18)
extension String: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern {
    .wildcard(self, base: service.baseURL)
  }
}

/// That resource only, of which nothing but the URL is kept. (CFG-05)
extension Resource: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern { .url(url) }
}

/// To be found anywhere in the full URL text. (PAT-19 to PAT-21) Logs call it `regex`, since nothing tells
/// what a literal was: give a `description`.
extension Regex: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern {
    .regex(Regex<AnyRegexOutput>(self), source: "regex")
  }
}

extension ConfigurationPattern: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern { self }
}

// For `.all` and its like in an argument.
extension ConfigurationPatternConvertible where Self == ConfigurationPattern {
  /// Every URL.
  public static var all: ConfigurationPattern { ConfigurationPattern.all }

  /// A string with wildcards, as `ConfigurationPattern.wildcard` takes it. (PAT-01 to PAT-18)
  public static func wildcard(_ pattern: String, base: ResourceURL?) -> ConfigurationPattern {
    ConfigurationPattern.wildcard(pattern, base: base)
  }

  /// A regular expression, to be found anywhere in the full URL text. (PAT-19 to PAT-21)
  public static func regex(
    _ regex: Regex<AnyRegexOutput>, source: String
  ) -> ConfigurationPattern {
    ConfigurationPattern.regex(regex, source: source)
  }

  /// Any function of the URL. (CFG-06)
  public static func predicate(
    _ description: String = "custom",
    _ matches: @escaping (ResourceURL) throws(RequestError) -> Bool
  ) -> ConfigurationPattern {
    ConfigurationPattern.predicate(description, matches)
  }

  /// That URL only. (CFG-05)
  public static func url(_ wanted: ResourceURL) -> ConfigurationPattern {
    ConfigurationPattern.url(wanted)
  }
}

/// A URL pattern with wildcards, compiled to tokens over URLs in one normal form. (PAT-01 to
/// PAT-18)
///
/// `*` matches zero or more characters other than `/`, `?` exactly one of these, `**` any number of
/// any characters, and `**/` may vanish as a whole. The URL's query takes no part. A match takes
/// time proportional to the length of the URL, whatever the pattern: all ways to match are followed
/// at once, none is tried again.
package struct WildcardPattern: Sendable {
  private enum Token: Equatable, Sendable {
    case byte(UInt8)
    /// `?`
    case one
    /// `*`
    case segment
    /// `**`
    case any
    /// Before `**/`: all of it may be skipped.
    case optional
    /// Inside `**/`: left by a slash only.
    case untilSlash
  }

  /// What a matching URL begins with, in normal form: all up to the first wildcard.
  private let prefix: [UInt8]
  private let tokens: [Token]

  /// A pattern that begins with a scheme, or any pattern without a base, is matched against the
  /// whole URL; others continue the base, one leading slash being optional. (PAT-01 to PAT-05,
  /// PAT-16)
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

  /// URLs have A-labels in the place of international host names. (SVC-40)
  private static func withASCIIHost(_ pattern: String) -> String {
    guard pattern.utf8.contains(where: { $0 >= 0x80 }),
      let start = pattern.firstRange(of: "://")?.upperBound
    else { return pattern }
    let authority = pattern[start...].prefix { $0 != "/" }
    let host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? start)...]
      .prefix { $0 != ":" }
    // What is no name stays, and matches nothing.
    guard let name = try? HostName.canonical(Array(host.utf8)) else { return pattern }
    return pattern[..<host.startIndex] + name + pattern[host.endIndex...]
  }

  package func matches(_ url: ResourceURL) -> Bool {
    url.withBytes { matches($0) }
  }

  /// The base up to its query, which patterns ignore (PAT-17), ending in a slash.
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
        // The slash after `**` belongs to the group that may vanish. (PAT-11)
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

  /// Whether a URL, in normal form or not, surely begins otherwise than the prefix: the quick
  /// answer for most pairs of URL and pattern.
  private func differsInPrefix(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
    let bare = WildcardPattern.bare
    return prefix.withUnsafeBufferPointer { prefix in
      let common = min(prefix.count, url.count)
      var index = 0
      while index < common, url[index] == prefix[index] { index += 1 }
      if index < common {
        // Up to here the URL is in normal form; so is a bare character outside an escape.
        return bare.contains(url[index])
          && (index < 1 || url[index - 1] != UInt8(ascii: "%"))
          && (index < 2 || url[index - 2] != UInt8(ascii: "%"))
      }
      // Normal form may be longer, but not if there is nothing to escape.
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

  /// Follows every position in the pattern that the characters so far can have led to.
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
    /// For each position the last step it was entered in; shared by the two sets of a run.
    private let seen: UnsafeMutableBufferPointer<Int>
    var count = 0

    init(_ list: UnsafeMutableBufferPointer<Int>, seen: UnsafeMutableBufferPointer<Int>) {
      self.list = list
      self.seen = seen
    }

    var all: Slice<UnsafeMutableBufferPointer<Int>> { list[..<count] }

    /// Adds a position and those reached from it without a character.
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
  /// Characters of URLs that stay bare in normal form, and that escapes of them are turned into,
  /// `/` and `#` excepted.
  private static let bare = ResourceURL.ASCIISet("-._~!$&'()*+,;=:@/[]#")

  /// Percent-decodes and encodes again: one form for all spellings of a URL. Escapes of `/`, `?`,
  /// `#` and `%` stay escapes. (PAT-15)
  private static func appendNormalized(
    _ bytes: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]
  ) {
    var index = 0
    while index < bytes.count { index += appendNormalizedUnit(in: bytes, at: index, to: &result) }
  }

  /// Does so for one character or escape; returns how many bytes that was.
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
