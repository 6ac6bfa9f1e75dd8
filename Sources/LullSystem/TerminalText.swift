/// Filters all text before it is shown on a terminal. Control characters (see `ControlCharacters`)
/// and invalid UTF-8 are made visible.
///
/// Escape sequences that Lull itself adds, for example for colors, are marked by a random number in
/// the text. Text from a server can't imitate them, because only Lull knows the number.
package struct TerminalText {
  private static let mark: String = {
    let number = [UInt64.random(in: 0...(.max)), UInt64.random(in: 0...(.max))]
    return "\u{10FFFD}" + number.map { String($0, radix: 36) }.joined() + "\u{10FFFD}"
  }()
  private static let markBytes = Array(mark.utf8)

  /// Bytes at the end of the last chunk that may begin a character whose other bytes have not
  /// arrived yet.
  private var pending: [UInt8] = []

  package init() {}

  // MARK: Our own sequences

  /// Returns a text in a color, for a terminal.
  package static func painted(_ text: String, _ code: String) -> String {
    "\(mark)e[\(code)m\(text)\(mark)e[0m"
  }

  /// A sequence that moves the cursor to the beginning of the line and clears the line.
  package static var clearedLine: String { "\(mark)r\(mark)e[K" }

  /// A sequence that moves the cursor to the line above and clears that line.
  package static var clearedLineAbove: String { "\(mark)e[A\(mark)e[K" }

  // MARK: Making visible

  /// Returns a complete text in a form that is safe to show. Callable on any thread.
  package static func visible(_ text: String) -> String {
    String(decoding: visible(Array(text.utf8)), as: UTF8.self)
  }

  package static func visible(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.allSatisfy(isPlain) { return bytes }
    var filter = TerminalText()
    return filter.visible(bytes) + filter.end()
  }

  /// Returns the visible form of the next chunk of a text. If a character is cut off at the end of
  /// the chunk, its bytes are kept for the next call.
  package mutating func visible(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let input = pending + bytes
    pending = []
    var output: [UInt8] = []
    output.reserveCapacity(input.count)
    var place = 0
    while place < input.count {
      guard let length = TerminalText.take(input, at: place, isWhole: false, &output) else {
        pending = Array(input[place...])
        break
      }
      place += length
    }
    return output
  }

  /// Ends a text that has arrived in chunks. Returns the visible form of the bytes that were kept.
  package mutating func end() -> [UInt8] {
    let input = pending
    pending = []
    var output: [UInt8] = []
    var place = 0
    while place < input.count {
      place += TerminalText.take(input, at: place, isWhole: true, &output) ?? 1
    }
    return output
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20..<0x7F).contains(byte) || byte == 10 || byte == 9
  }

  /// Appends the visible form of the character at index `place` to `output`. Returns the number of
  /// bytes that the character takes in `input`, or nil if more bytes are needed.
  private static func take(
    _ input: [UInt8], at place: Int, isWhole: Bool, _ output: inout [UInt8]
  ) -> Int? {
    let byte = input[place]
    if isPlain(byte) {
      output.append(byte)
      return 1
    }
    if byte == 13 {
      // A carriage return at the end of a line has no effect, so it is kept.
      guard place + 1 < input.count || isWhole else { return nil }
      if place + 1 < input.count, input[place + 1] == 10 {
        output.append(byte)
      } else {
        output += ControlCharacters.spelled(byte).utf8
      }
      return 1
    }
    guard byte >= 0x80 else {
      output += ControlCharacters.spelled(byte).utf8
      return 1
    }
    let length = byte < 0xC2 || byte > 0xF4 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    let end = min(place + length, input.count)
    guard let text = String(validating: input[place..<end], as: UTF8.self),
      let scalar = text.unicodeScalars.first
    else {
      let isCutOff =
        end - place < length && input[(place + 1)..<end].allSatisfy { $0 & 0xC0 == 0x80 }
      guard !isCutOff || isWhole else { return nil }
      output += ControlCharacters.spelled(byte).utf8
      return 1
    }
    if scalar == "\u{10FFFD}", let length = takeOwn(input, at: place, &output) { return length }
    if ControlCharacters.contains(scalar) {
      output += ControlCharacters.spelled(scalar).utf8
    } else {
      output += input[place..<end]
    }
    return length
  }

  /// Appends one of Lull's own escape sequences to `output`. These sequences are never split over
  /// two chunks.
  private static func takeOwn(_ input: [UInt8], at place: Int, _ output: inout [UInt8]) -> Int? {
    let end = place + markBytes.count
    guard end < input.count, input[place..<end].elementsEqual(markBytes) else { return nil }
    output.append(input[end] == UInt8(ascii: "r") ? 13 : 27)
    return markBytes.count + 1
  }
}
