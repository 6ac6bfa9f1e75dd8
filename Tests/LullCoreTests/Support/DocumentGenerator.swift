/// Makes JSON texts of every form, the same ones each time.
struct DocumentGenerator {
  private var state: UInt64
  private var budget = 0

  init(seed: UInt64) { state = seed }

  /// SplitMix64.
  private mutating func random(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Int(mixed % UInt64(limit))
  }

  private mutating func pick(_ choices: [String]) -> String {
    choices[random(below: choices.count)]
  }

  /// A document of about that many values.
  mutating func document(size: Int) -> [UInt8] {
    budget = size
    var text = ""
    space(&text)
    value(&text, depth: 0)
    space(&text)
    return Array(text.utf8)
  }

  /// Changes, removes, repeats or swaps a byte or few; never into another encoding's beginning.
  mutating func damage(_ bytes: inout [UInt8]) {
    for _ in 0...random(below: 2) where !bytes.isEmpty {
      let place = random(below: bytes.count)
      switch random(below: 5) {
      case 0: bytes.remove(at: place)
      case 1: bytes.insert(bytes[random(below: bytes.count)], at: place)
      case 2: bytes.swapAt(place, random(below: bytes.count))
      case 3:
        let byte = Array("[]{},:\"\\0-1.e+tfn u/x \n".utf8)
        bytes[place] = byte[random(below: byte.count)]
      default:
        let byte = UInt8(random(below: 256))
        bytes[place] = place < 4 && (byte == 0 || byte >= 0xEF) ? 1 : byte
      }
    }
  }

  private mutating func space(_ text: inout String) {
    if random(below: 4) == 0 { text += pick([" ", "\n", "\t", "\r\n", "  "]) }
  }

  private mutating func value(_ text: inout String, depth: Int) {
    budget -= 1
    switch random(below: depth > 40 || budget <= 0 ? 7 : depth == 0 ? 14 : 10) {
    case 0: text += pick(["null", "true", "false"])
    case 1, 2, 3: number(&text)
    case 4, 5, 6: string(&text)
    case 7, 8, 10, 11: container(&text, "[", "]", depth: depth)
    default: container(&text, "{", "}", depth: depth)
    }
  }

  private mutating func container(
    _ text: inout String, _ opening: String, _ closing: String, depth: Int
  ) {
    text += opening
    space(&text)
    // At times more than the sixteen that get no index.
    let count = random(below: 12) == 0 ? 10 + random(below: 40) : random(below: 6)
    var place = 0
    while place < count, budget > 0 {
      if place > 0 {
        text += ","
        space(&text)
      }
      if opening == "{" {
        if random(below: 3) == 0 { string(&text) } else { text += "\"k\(random(below: 20))\"" }
        space(&text)
        text += ":"
        space(&text)
      }
      value(&text, depth: depth + 1)
      space(&text)
      place += 1
    }
    text += closing
  }

  private mutating func number(_ text: inout String) {
    if random(below: 6) == 0 {
      text += pick([
        "0", "-0", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e308", "1e309",
        "0.1", "1E5", "-0.0", "123456789012345678901234567890", "2.2250738585072014e-308",
        "0.000000000000000000000000000000000000000000000000000000001e50", "1e-400",
      ])
      return
    }
    if random(below: 3) == 0 { text += "-" }
    text += random(below: 5) == 0 ? "0" : digits(upTo: random(below: 8) == 0 ? 40 : 6, first: 1)
    if random(below: 3) == 0 {
      text += "." + digits(upTo: random(below: 8) == 0 ? 40 : 6, first: 0)
    }
    if random(below: 5) == 0 {
      text += pick(["e", "E"]) + pick(["", "+", "-"])
      text += digits(upTo: random(below: 4) == 0 ? 4 : 2, first: 0)
    }
  }

  private mutating func digits(upTo count: Int, first: Int) -> String {
    var digits = String(first + random(below: 10 - first))
    for _ in 0..<random(below: count) { digits += String(random(below: 10)) }
    return digits
  }

  private mutating func string(_ text: inout String) {
    text += "\""
    let count = random(below: 20) == 0 ? random(below: 200) : random(below: 8)
    for _ in 0..<count {
      switch random(below: 8) {
      case 0:
        text += pick([
          "\\n", "\\t", "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\r", "\\u0000", "\\u00e9", "\\u20AC",
          "\\ud83d\\ude00", "\\uFFFF", "\\u001f", "\\uDBFF\\uDFFF",
        ])
      case 1: text += pick(["é", "日", "😀", "\u{7F}", "\u{FEFF}", "\u{10FFFF}", "e\u{301}", "/"])
      case 2: text += pick(["{", "}", "[", "]", ":", ",", " ", "123456789012345678901234567890"])
      default: text += pick(["a", "b", "word", "x1", "-", "Z"])
      }
    }
    text += "\""
  }
}
