/// What everything passes that is shown on a terminal, last of all: control characters become visible,
/// and what is no UTF-8 does. (ControlCharacters)
///
/// Colours of our own go along in the text, marked by a number that nobody else can know: whatever a
/// server has sent passes for none of them.
package struct TerminalText {
  private static let mark: String = {
    let number = [UInt64.random(in: 0...(.max)), UInt64.random(in: 0...(.max))]
    return "\u{10FFFD}" + number.map { String($0, radix: 36) }.joined() + "\u{10FFFD}"
  }()
  private static let markBytes = Array(mark.utf8)

  /// What may be the beginning of something whose rest has not come yet.
  private var pending: [UInt8] = []

  package init() {}

  // MARK: Our own sequences

  /// A text in a colour, for a terminal.
  package static func painted(_ text: String, _ code: String) -> String {
    "\(mark)e[\(code)m\(text)\(mark)e[0m"
  }

  /// What goes back to the beginning of the line, and clears it.
  package static var clearedLine: String { "\(mark)r\(mark)e[K" }

  /// The same with the line above it.
  package static var clearedLineAbove: String { "\(mark)e[A\(mark)e[K" }

  // MARK: Making visible

  /// All of a text as it may be shown. Any thread.
  package static func visible(_ text: String) -> String {
    String(decoding: visible(Array(text.utf8)), as: UTF8.self)
  }

  package static func visible(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.allSatisfy(isPlain) { return bytes }
    var filter = TerminalText()
    return filter.visible(bytes) + filter.end()
  }

  /// The next part of something that comes piece by piece.
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

  /// What was held back: nothing follows it.
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

  /// Writes what stands there; how many bytes that was, nil if more must be known.
  private static func take(
    _ input: [UInt8], at place: Int, isWhole: Bool, _ output: inout [UInt8]
  ) -> Int? {
    let byte = input[place]
    if isPlain(byte) {
      output.append(byte)
      return 1
    }
    if byte == 13 {
      // At the end of a line a return does nothing.
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

  /// A sequence of our own, which is never cut off.
  private static func takeOwn(_ input: [UInt8], at place: Int, _ output: inout [UInt8]) -> Int? {
    let end = place + markBytes.count
    guard end < input.count, input[place..<end].elementsEqual(markBytes) else { return nil }
    output.append(input[end] == UInt8(ascii: "r") ? 13 : 27)
    return markBytes.count + 1
  }
}
