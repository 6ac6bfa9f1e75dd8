import LullCore

/// A text with other ones in the place of its stand-ins: of those that stand there as they are, with escapes of URLs
/// and JSON, or inside of base64 or hexadecimal digits, which are made anew. (CAS-66)
struct StandInReading {
  private(set) var text: [UInt8] = []
  private let bytes: [UInt8]
  private let escaping: SecretEscaping
  private let replacement: (Int) -> [UInt8]?

  private static let mark = Array(CredentialMask.standIn.utf8)
  /// How many codings inside of each other are undone.
  static let depth = 4

  /// - Parameters:
  ///   - escaping: how the other texts are written there.
  ///   - replacement: what stands for the one of that number; nil: it stays.
  init(_ bytes: [UInt8], _ escaping: SecretEscaping, _ replacement: @escaping (Int) -> [UInt8]?) {
    self.init(bytes, escaping, depth: StandInReading.depth, replacement)
  }

  private init(
    _ bytes: [UInt8], _ escaping: SecretEscaping, depth: Int,
    _ replacement: @escaping (Int) -> [UInt8]?
  ) {
    let isInURL = escaping == .parameter || escaping == .form
    self.bytes =
      depth == 0
      ? bytes
      : EncodedWords(bytes, isInURL: isInURL) { inner in
        let made = StandInReading(inner, .verbatim, depth: depth - 1, replacement).text
        return made == inner ? nil : made
      }.text
    self.escaping = escaping
    self.replacement = replacement
    read()
  }

  private mutating func read() {
    var index = 0
    while index < bytes.count {
      guard let found = standIn(at: index) else {
        text.append(bytes[index])
        index += 1
        continue
      }
      text += replacement(found.number).map(escaping.escaped) ?? Array(bytes[index..<found.end])
      index = found.end
    }
  }

  private func standIn(at start: Int) -> (number: Int, end: Int)? {
    var index = start
    for wanted in StandInReading.mark {
      guard index < bytes.count else { return nil }
      if bytes[index] == wanted {
        index += 1
      } else if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        escape(at: index + 1) == wanted
      {
        index += 3
      } else if bytes[index...].starts(with: Array("\\u00".utf8)), index + 5 < bytes.count,
        escape(at: index + 4) == wanted
      {
        index += 6
      } else {
        return nil
      }
    }
    return StandInReading.number(at: index, in: bytes).map { ($0.value, $0.end) }
  }

  private func escape(at index: Int) -> UInt8? {
    guard let high = Hexadecimal.value(bytes[index]), let low = Hexadecimal.value(bytes[index + 1])
    else { return nil }
    return high << 4 | low
  }

  /// At most nine digits.
  static func number(at start: Int, in bytes: [UInt8]) -> (value: Int, end: Int)? {
    var end = start
    var value = 0
    while end < bytes.count, end - start < 9, (0x30...0x39).contains(bytes[end]) {
      value = value * 10 + Int(bytes[end] - 0x30)
      end += 1
    }
    return end > start ? (value, end) : nil
  }
}
