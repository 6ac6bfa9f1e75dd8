package import LullCore

/// Finds the texts of secrets in what somebody else has written, however they are escaped there.
///
/// A text is read as it stands, and again each time its escapes are undone, those of URLs, of JSON, of strings in
/// programs (`\x73`), of HTML and of quoted-printable; `+` and a space count as the same. So it is found raw, with any
/// of its characters escaped, and in a URL inside of a URL. It is also read without the ends of lines that part a
/// word, as those of base64 are, and with runs of numbers, such as `73:65:63`, taken for bytes.
package struct SecretSearch: Sendable {
  package struct Match {
    /// Of the bytes as they stand.
    package var range: Range<Int>
    /// What they are: of several that overlap the first, which may go where all of them may.
    package var secret: Secret
  }

  private var needles: [(secret: Secret, bytes: [UInt8])] = []
  /// Which of them begin with each byte; empty without any.
  private var firsts: [[Int]] = []

  /// Under so many bytes a text is too common to be taken for a secret wherever it stands.
  package static let shortest = 4
  /// How deep escapes are undone.
  private static let depth = 10

  package init() {}

  /// Takes nothing for a text of no bytes.
  package mutating func add(_ secret: Secret, _ text: [UInt8]) {
    guard !text.isEmpty else { return }
    let plain = EscapedReading(text)
    append(secret, plain.bytes)
    // Of one with escapes of its own the reading may lose some.
    if let last = plain.unescapings(atMost: SecretSearch.depth).last, last.bytes != plain.bytes {
      append(secret, last.bytes)
    }
  }

  private mutating func append(_ secret: Secret, _ bytes: [UInt8]) {
    if firsts.isEmpty { firsts = Array(repeating: [], count: 256) }
    if let first = bytes.first { firsts[Int(first)].append(needles.count) }
    needles.append((secret, bytes))
  }

  /// Where they stand, in order, none over another.
  ///
  /// - Parameter takesShort: whether short ones count too, where they are a part of a URL of their own.
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

  /// The text with masks in the place of what is found; short ones stay.
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
