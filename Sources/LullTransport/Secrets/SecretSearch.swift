package import LullCore

/// Finds the texts of secrets in what somebody else has written, however they are escaped there.
///
/// A text is read as it stands, and again each time its escapes are undone, those of URLs and of JSON; `+` and a
/// space count as the same. So it is found raw, with any of its characters escaped, and in a URL inside of a URL.
package struct SecretSearch: Sendable {
  package struct Match {
    /// Of the bytes as they stand.
    package var range: Range<Int>
    /// What they are: of several that overlap the first, which may go where all of them may.
    package var secret: Secret
  }

  private var needles: [(secret: Secret, bytes: [UInt8])] = []

  /// Under so many bytes a text is too common to be taken for a secret wherever it stands.
  package static let shortest = 4
  /// How deep escapes are undone.
  private static let depth = 10

  package init() {}

  /// Takes nothing for a text of no bytes.
  package mutating func add(_ secret: Secret, _ text: [UInt8]) {
    guard !text.isEmpty else { return }
    let plain = EscapedReading(text)
    needles.append((secret, plain.bytes))
    // Of one with escapes of its own the reading may lose some.
    if let last = plain.readings(atMost: SecretSearch.depth).last, last.bytes != plain.bytes {
      needles.append((secret, last.bytes))
    }
  }

  /// Where they stand, in order, none over another.
  ///
  /// - Parameter takesShort: whether short ones count too, where they are a part of a URL of their own.
  package func matches(in text: [UInt8], takesShort: Bool) -> [Match] {
    guard !needles.isEmpty else { return [] }
    var found: [Match] = []
    for reading in EscapedReading(text).readings(atMost: SecretSearch.depth) {
      for (secret, bytes) in needles where takesShort || bytes.count >= SecretSearch.shortest {
        for place in reading.places(of: bytes, asPart: bytes.count < SecretSearch.shortest) {
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

/// What a text says once some of its escapes are undone, and where each byte of that stands.
private struct EscapedReading {
  private(set) var bytes: [UInt8]
  /// Where each byte begins in the text, and where the last one ends.
  private var starts: [Int]

  /// As it stands.
  init(_ text: [UInt8]) {
    bytes = text.map(EscapedReading.folded)
    starts = Array(0...text.count)
  }

  /// This one, and what each further round of undoing makes of it.
  func readings(atMost count: Int) -> [EscapedReading] {
    var readings = [self]
    while readings.count <= count, let next = readings.last?.unescaped() { readings.append(next) }
    return readings
  }

  /// nil if there is nothing to undo.
  private func unescaped() -> EscapedReading? {
    var result = self
    result.bytes = []
    result.starts = []
    var index = 0
    while index < bytes.count {
      result.starts.append(starts[index])
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Hexadecimal.value(bytes[index + 1]),
        let low = Hexadecimal.value(bytes[index + 2])
      {
        result.bytes.append(EscapedReading.folded(high << 4 | low))
        index += 3
      } else if let escape = JSONEscape(bytes, at: index) {
        // All of its bytes stand where it does.
        let rest = escape.bytes.count - 1
        result.starts.append(contentsOf: repeatElement(starts[index], count: rest))
        result.bytes += escape.bytes.map(EscapedReading.folded)
        index += escape.length
      } else {
        result.bytes.append(bytes[index])
        index += 1
      }
    }
    result.starts.append(starts[bytes.count])
    return result.bytes.count < bytes.count ? result : nil
  }

  /// Where it stands in the text.
  ///
  /// - Parameter asPart: whether only where a part of a URL is nothing else.
  func places(of wanted: [UInt8], asPart: Bool) -> [Range<Int>] {
    guard let first = wanted.first, bytes.count >= wanted.count else { return [] }
    var places: [Range<Int>] = []
    for start in 0...(bytes.count - wanted.count) where bytes[start] == first {
      let end = start + wanted.count
      guard bytes[start..<end].elementsEqual(wanted) else { continue }
      guard !asPart || isEdge(start - 1) && isEdge(end) else { continue }
      places.append(starts[start]..<starts[end])
    }
    return places
  }

  private func isEdge(_ index: Int) -> Bool {
    !bytes.indices.contains(index) || "/?&=#;:@".utf8.contains(bytes[index])
  }

  /// A form has `+` for a space, and some read a `+` so that stands for itself.
  private static func folded(_ byte: UInt8) -> UInt8 {
    byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte
  }
}

/// A character as a string of JSON may have it: `\/`, `\u002F`, or two of these for one beyond the first plane.
private struct JSONEscape {
  let bytes: [UInt8]
  /// Of the escape.
  let length: Int

  init?(_ text: [UInt8], at index: Int) {
    guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else { return nil }
    let plain: UInt8
    switch text[index + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = text[index + 1]
    case UInt8(ascii: "b"): plain = 8
    case UInt8(ascii: "t"): plain = 9
    case UInt8(ascii: "n"): plain = 10
    case UInt8(ascii: "f"): plain = 12
    case UInt8(ascii: "r"): plain = 13
    case UInt8(ascii: "u"):
      guard let high = JSONEscape.unit(text, at: index) else { return nil }
      let low = JSONEscape.unit(text, at: index + 6)
      if let low, (0xD800..<0xDC00).contains(high), (0xDC00..<0xE000).contains(low),
        let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
      {
        (bytes, length) = (Array(String(Character(scalar)).utf8), 12)
        return
      }
      guard let scalar = Unicode.Scalar(high) else { return nil }
      (bytes, length) = (Array(String(Character(scalar)).utf8), 6)
      return
    default: return nil
    }
    (bytes, length) = ([plain], 2)
  }

  private static func unit(_ text: [UInt8], at index: Int) -> UInt32? {
    guard index + 5 < text.count, text[index] == UInt8(ascii: "\\"),
      text[index + 1] == UInt8(ascii: "u")
    else { return nil }
    return UInt32(String(decoding: text[index + 2...index + 5], as: UTF8.self), radix: 16)
  }
}
