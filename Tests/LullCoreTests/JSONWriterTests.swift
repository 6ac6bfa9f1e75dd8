import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct JSONWriterTests {
  private func text(_ write: (inout JSONWriter) -> Void, pretty: Bool = false) -> String {
    var writer = JSONWriter(pretty: pretty)
    write(&writer)
    return String(decoding: writer.output, as: UTF8.self)
  }

  private func tokens(of json: String) -> [ArraySlice<UInt8>] {
    let bytes = Array(json.utf8)
    var tokens: [ArraySlice<UInt8>] = []
    var place = JSONScan.start(bytes)
    while place < bytes.count {
      let end = JSONScan.tokenEnd(bytes, place)
      tokens.append(bytes[place..<end])
      place = JSONScan.token(bytes, end)
    }
    return tokens
  }

  @Test func `doubles are spelled as Swift spells them`() {
    var generator = SplitMix(state: 20_251_122)
    var numbers = (0..<20_000).map { _ in Double(bitPattern: generator.next()) }
    numbers += (-1074...1023).map {
      $0 < -1022
        ? 0x1p-1074 * Double(1 << ($0 + 1074)) : Double(sign: .plus, exponent: $0, significand: 1)
    }
    numbers += (0..<5_000).map { Double(generator.next() >> 40) / Double($0 + 1) }
    numbers += [
      0, -0.0, 0x1p53, (0x1p53).nextUp, -0x1p53, (-0x1p53).nextDown, 1e-4, (1e-4).nextDown, 1e15,
      1e16,
    ]
    for number in numbers where number.isFinite {
      #expect(text { $0.write(number) } == number.description)
    }
  }

  @Test(arguments: [
    "[]", "{}", "1", "[ 1 , [ ] , { } ]", #"{"a":{"b":[1,{"c":null}]},"d":"x\"y"}"#,
    "[[[]],[{}]]",
  ])
  func `tokens of JSON are laid out as the writer lays out values`(json: String) throws {
    let root = try JSONDocument(parsing: Array(json.utf8)).root
    for pretty in [false, true] {
      var expected: [UInt8] = []
      root.encode(into: &expected, pretty: pretty)
      let written = text(
        { writer in for token in tokens(of: json) { writer.write(token: token) } }, pretty: pretty)
      #expect(written == String(decoding: expected, as: UTF8.self))
    }
  }

  @Test func `objects and lists end where what is written in them ends`() throws {
    let inner = try JSONDocument(parsing: Array("[null]".utf8)).root
    let json = text { writer in
      writer.writeObject { writer in
        writer.write(key: "a", true)
        writer.writeObject(key: "b") { $0.write(key: "c", 1) }
        writer.writeList(key: "d") { writer in
          writer.writeObject { _ in }
          writer.writeList { $0.write("e") }
        }
        writer.write(key: "f", "g")
        writer.write(key: "h", ["i", "j"])
        writer.write(key: "k", inner)
        writer.write(key: "l", raw: "1.50".utf8)
      }
    }
    #expect(
      json
        == #"{"a":true,"b":{"c":1},"d":[{},["e"]],"f":"g","h":["i","j"],"k":[null],"l":1.50}"#)
  }

  @Test func `every byte that must be is escaped, wherever it stands, and no other`() throws {
    for code in UInt8(0)..<0x80 {
      for before in 0..<18 {
        let string =
          String(repeating: "é", count: before / 2) + String(repeating: "x", count: before % 2)
          + String(UnicodeScalar(code)) + "yyyyyyyyyy"
        let json = text { $0.write(string) }
        let mustEscape = code < 0x20 || code == UInt8(ascii: "\"") || code == UInt8(ascii: "\\")
        #expect(json.contains("\\") == mustEscape)
        #expect(try JSONDocument(parsing: Array(json.utf8)).root.string == string)
      }
    }
  }
}

/// Numbers that are the same at each run.
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
