package import LullCore

/// Finds the texts of secrets in text from elsewhere, in all usual escapings.
///
/// The search reads a text unchanged and after each round of decoding its escapes. It decodes the
/// escapes of URLs, JSON, strings in programs (`\x73`), HTML and quoted-printable, and treats `+`
/// and a space as equal. So it finds a secret that is unescaped, partly escaped, or in a URL inside
/// a URL. It also reads the text after removing line ends inside words, as in base64, and after
/// decoding runs of numbers, such as `73:65:63`, as bytes.
package struct SecretSearch: Sendable {
  package struct Match {
    /// The range of the match in the undecoded text.
    package var range: Range<Int>
    /// The secret that was found. If several matches overlap, this is the secret of the first
    /// match, but bound only to the origins to which the secrets of all these matches are bound.
    package var secret: Secret
  }

  private var needles: [(secret: Secret, bytes: [UInt8])] = []
  /// For each byte, the indexes of the needles that begin with that byte; empty if there are no
  /// needles.
  private var firsts: [[Int]] = []

  /// The minimum number of bytes of a text that is searched for everywhere. Shorter texts are too
  /// common.
  package static let shortest = 4
  /// The maximum number of decoding rounds.
  private static let depth = 10

  package init() {}

  /// Adds a text to search for. Empty texts are ignored.
  package mutating func add(_ secret: Secret, _ text: [UInt8]) {
    guard !text.isEmpty else { return }
    let plain = EscapedReading(text)
    append(secret, plain.bytes)
    // Decoding may change a secret that contains escapes itself.
    if let last = plain.unescapings(atMost: SecretSearch.depth).last, last.bytes != plain.bytes {
      append(secret, last.bytes)
    }
  }

  private mutating func append(_ secret: Secret, _ bytes: [UInt8]) {
    if firsts.isEmpty { firsts = Array(repeating: [], count: 256) }
    if let first = bytes.first { firsts[Int(first)].append(needles.count) }
    needles.append((secret, bytes))
  }

  /// Returns the matches in order, without overlaps.
  ///
  /// - Parameter takesShort: Whether short texts match too, if they are a complete part of a URL.
  package func matches(in text: [UInt8], takesShort: Bool) -> [Match] {
    guard !needles.isEmpty else { return [] }
    var found: [Match] = []
    for reading in EscapedReading(text).readings(atMost: SecretSearch.depth) {
      for start in reading.bytes.indices {
        for number in firsts[Int(reading.bytes[start])] {
          let (secret, bytes) = needles[number]
          let isShort = bytes.count < SecretSearch.shortest
          guard takesShort || !isShort,
            let place = reading.place(of: bytes, at: start, asPart: isShort)
          else { continue }
          found.append(Match(range: place, secret: secret))
        }
      }
    }
    found.sort {
      ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
    }
    var matches: [Match] = []
    for match in found {
      guard let last = matches.last, match.range.lowerBound < last.range.upperBound else {
        matches.append(match)
        continue
      }
      matches[matches.count - 1] = SecretSearch.joined(last, match)
    }
    return matches
  }

  /// Returns the text with masks in place of the matches. Secrets shorter than `shortest` are not
  /// masked.
  func masked(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let matches = matches(in: bytes, takesShort: false)
    guard !matches.isEmpty else { return text }
    var result: [UInt8] = []
    var end = 0
    for match in matches {
      result += bytes[end..<match.range.lowerBound]
      result += match.secret.mask.utf8
      end = match.range.upperBound
    }
    result += bytes[end...]
    return String(escaping: result)
  }

  private static func joined(_ one: Match, _ other: Match) -> Match {
    let end = max(one.range.upperBound, other.range.upperBound)
    var joined = Match(range: one.range.lowerBound..<end, secret: one.secret)
    if one.secret != other.secret {
      joined.secret = Secret(
        one.secret.source, name: one.secret.name,
        origins: one.secret.origins.filter(other.secret.origins.contains))
    }
    return joined
  }
}
