package import LullCore

/// Finds the texts of secrets in what somebody else has written, however they are escaped there.
///
/// A text is read as it stands, and again each time its escapes are undone, those of URLs, of JSON and of HTML; `+`
/// and a space count as the same. So it is found raw, with any of its characters escaped, and in a URL inside of a
/// URL; last it is read without the ends of lines that part a word, as those of base64 are.
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
    if let last = plain.readings(atMost: SecretSearch.depth).last, last.bytes != plain.bytes {
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

/// What a text says once some of its escapes are undone, and where each byte of that stands.
private struct EscapedReading {
  private(set) var bytes: [UInt8]
  /// Where each byte begins in the text, and where the last one ends.
  private var starts: [Int]
  /// Where each ends, if not where the next one begins.
  private var ends: [Int] = []

  /// As it stands.
  init(_ text: [UInt8]) {
    bytes = text.map(EscapedReading.folded)
    starts = Array(0...text.count)
  }

  /// This one, and what each further round of undoing makes of it.
  func readings(atMost count: Int) -> [EscapedReading] {
    var readings = [self]
    while readings.count <= count, let next = readings.last?.unescaped() { readings.append(next) }
    guard let last = readings.last, let joined = last.joined(past: [10, 13]) else {
      return readings
    }
    readings.append(joined)
    // A line may be indented, and may begin with a `+`, of which a space is left.
    if let indented = last.joined(past: [9, 10, 13, 32]), indented.bytes != joined.bytes {
      readings.append(indented)
    }
    return readings
  }

  /// Without the ends of lines, and what else is said, between two letters of base64; nil without any.
  private func joined(past spaces: [UInt8]) -> EscapedReading? {
    guard bytes.contains(10) else { return nil }
    var result = self
    result.bytes = []
    result.starts = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == 10 || bytes[index] == 13, let last = result.bytes.last,
        EscapedReading.isWord(last)
      {
        let next = bytes[index...].firstIndex { !spaces.contains($0) } ?? bytes.count
        if next < bytes.count, EscapedReading.isWord(bytes[next]) {
          index = next
          continue
        }
      }
      result.bytes.append(bytes[index])
      result.starts.append(starts[index])
      result.ends.append(starts[index + 1])
      index += 1
    }
    result.starts.append(starts[bytes.count])
    return result.bytes.count < bytes.count ? result : nil
  }

  /// A letter of either base64; of `+` a space is left.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: " /-_".utf8.contains(byte)
    }
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
      } else if let escape = WrittenEscape(bytes, at: index) {
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

  /// Where it stands in the text, if it begins there.
  ///
  /// - Parameter asPart: whether only where a part of a URL is nothing else.
  func place(of wanted: [UInt8], at start: Int, asPart: Bool) -> Range<Int>? {
    let end = start + wanted.count
    guard end <= bytes.count, bytes[start..<end].elementsEqual(wanted),
      !asPart || isEdge(start - 1) && isEdge(end)
    else { return nil }
    return starts[start]..<(ends.isEmpty ? starts[end] : ends[end - 1])
  }

  private func isEdge(_ index: Int) -> Bool {
    !bytes.indices.contains(index) || "/?&=#;:@".utf8.contains(bytes[index])
  }

  /// A form has `+` for a space, and some read a `+` so that stands for itself.
  private static func folded(_ byte: UInt8) -> UInt8 {
    byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte
  }
}
