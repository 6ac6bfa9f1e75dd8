/// Writes JSON text, compact or pretty. The caller keeps begin and end in pairs.
package struct JSONWriter {
  package private(set) var output: [UInt8]
  private let pretty: Bool
  private var depth = 0
  private var isFirst = true

  package init(output: consuming [UInt8], pretty: Bool) {
    self.output = output
    self.pretty = pretty
  }

  package mutating func begin(_ bracket: Unicode.Scalar) {
    output.append(UInt8(ascii: bracket))
    depth += 1
    isFirst = true
  }

  /// Before every element of an array and every key of an object.
  package mutating func beginElement() {
    if !isFirst { output.append(UInt8(ascii: ",")) }
    isFirst = false
    breakLine()
  }

  package mutating func endKey() {
    output.append(UInt8(ascii: ":"))
    if pretty { output.append(UInt8(ascii: " ")) }
  }

  package mutating func end(_ bracket: Unicode.Scalar) {
    depth -= 1
    if !isFirst { breakLine() }
    isFirst = false
    output.append(UInt8(ascii: bracket))
  }

  package mutating func writeNull() {
    output += "null".utf8
  }

  package mutating func write(_ value: Bool) {
    output += (value ? "true" : "false").utf8
  }

  package mutating func write(_ value: Int) {
    output += String(value).utf8
  }

  /// Expects a finite number, whose description is the shortest that reads back the same, and JSON.
  package mutating func write(_ value: Double) {
    output += value.description.utf8
  }

  /// Expects the digits of a number as JSON has them.
  package mutating func write(number digits: ArraySlice<UInt8>) {
    output += digits
  }

  package mutating func write(_ value: String) {
    var value = value
    value.withUTF8 { write($0) }
  }

  /// Expects valid UTF-8. Escapes what JSON demands and nothing else. (JSN-16)
  package mutating func write(_ value: UnsafeBufferPointer<UInt8>) {
    output.append(UInt8(ascii: "\""))
    var start = 0
    for index in 0..<value.count {
      let byte = value[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        continue
      }
      output += value[start..<index]
      start = index + 1
      output.append(UInt8(ascii: "\\"))
      switch byte {
      case 8: output.append(UInt8(ascii: "b"))
      case 9: output.append(UInt8(ascii: "t"))
      case 10: output.append(UInt8(ascii: "n"))
      case 12: output.append(UInt8(ascii: "f"))
      case 13: output.append(UInt8(ascii: "r"))
      case 0..<0x20:
        output += "u00".utf8
        output.append(byte < 16 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
        let digit = byte & 15
        output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      default: output.append(byte)
      }
    }
    output += value[start...]
    output.append(UInt8(ascii: "\""))
  }

  private mutating func breakLine() {
    guard pretty else { return }
    output.append(10)
    for _ in 0..<depth { output += "  ".utf8 }
  }
}
