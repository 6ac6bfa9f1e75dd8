import LullCore
import LullTestSupport
import Testing

/// The canonical form by which the contents of queries are compared. (QUERY-04)
@Suite(.timeLimit(.minutes(20)))
struct CanonicalJSONTests {
  // Bytes, because strings are equal if their characters are equivalent.
  private func form(_ text: String) -> [UInt8]? { CanonicalJSON.text(of: Array(text.utf8)) }

  @Test(
    arguments: [
      ("1", "1.0"), ("1", "1e0"), ("10", "1E1"), ("100e-2", "1"), ("0", "-0"), ("0.0e7", "0"),
      ("12345678901234567890123", "12345678901234567890123.0"), ("1e400", "10e399"),
      ("0.10", "0.1"), ("-1.50", "-15e-1"), (#"{"a":1,"b":2}"#, #"{ "b":2 , "a":1 }"#),
      (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#""é""#, #""\u00E9""#), (#""😀""#, #""\uD83D\ude00""#),
      (#""/\"\\""#, #""\/\u0022\u005c""#), (#""\n\t\b\f\r""#, #""\u000A\u0009\u0008\u000c\u000d""#),
      (#"[ ]"#, "[]"), (#"{"x":{"b":[],"a":{}}}"#, #"{"x":{"a":{},"b":[]}}"#),
      (#"{"\u0061":1,"a":2,"b":3}"#, #"{"b":3,"a":2}"#), ("true ", "\r\n true"),
    ])
  func `QUERY-04 equal values have the same form`(left: String, right: String) {
    #expect(form(left) != nil)
    #expect(form(left) == form(right))
  }

  @Test(
    arguments: [
      ("1", "2"), ("1", #""1""#), ("1", "true"), ("null", #""null""#), ("0", "0.000001"),
      ("9007199254740993", "9007199254740992"),
      ("12345678901234567890123", "12345678901234567890124"),
      ("0.1", "0.1000000000000000055511151231257827"), ("[1,2]", "[2,1]"), ("[]", "{}"),
      (#"{"a":1}"#, #"{"A":1}"#), (#""é""#, #""e\u0301""#), (#""\ud800""#, #""\udc00""#),
      (#"{"a":null}"#, "{}"), (#"["a,b"]"#, #"["a","b"]"#),
      (#"{"a":"\",\"b"}"#, #"{"a":"","b":""}"#),
      ("1e400", "1e401"), ("-1", "1"),
    ])
  func `QUERY-04 different values have different forms`(left: String, right: String) {
    #expect(form(left) != nil)
    #expect(form(right) != nil)
    #expect(form(left) != form(right))
  }

  @Test(
    arguments: [
      "", " ", "01", "1.", ".5", "+1", "-", "1e", "1e+", "nul", "truex", "[1,]", "[1 2]", "{\"a\"}",
      "{\"a\":1,}", "{a:1}", "\"\n\"", "\"\\x\"", "\"\\u12g4\"", "\"a", "[", "{", "1 2", "'a'",
      "1e99999999999999999999", "\u{FEFF}1", "NaN",
    ])
  func `QUERY-05 text that is not JSON has no form`(text: String) {
    #expect(form(text) == nil)
  }

  @Test func `QUERY-05 bytes that are not UTF-8, and deep content, have no form`() {
    #expect(CanonicalJSON.text(of: [0x22, 0xFF, 0x22]) == nil)
    let most = CanonicalJSON.deepest
    let deep = { (depth: Int) in
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(form(deep(most)) != nil)
    #expect(form(deep(most + 1)) == nil)
  }

  /// 100,000 pairs in ten parts: a value in two spellings, and a value that differs in one place.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `QUERY-02 QUERY-04 of random pairs, equal ones share one object and others never do`(
    part: UInt64
  ) throws {
    try withHarness { harness in
      let service = harness.service
      service.cachedResourceCountLimit = 16
      let resource = service.resource("/search")
      var random = SeededGenerator(seed: 410 + part)
      var maker = ValueMaker()
      for round in 0..<10_000 {
        let value = maker.value(depth: 3, &random)
        let (one, two) = (maker.spelled(value, &random), maker.spelled(value, &random))
        let first = try resource.query(.json(Array(one.utf8)))
        let second = try resource.query(.json(Array(two.utf8)))
        let isSame = first === second
        if !isSame { Issue.record("round \(round): \(one) and \(two) are not the same query") }
        let changed = maker.changed(value, &random)
        let other = maker.spelled(changed, &random)
        let third = try resource.query(.json(Array(other.utf8)))
        let isOther = third !== first
        if !isOther { Issue.record("round \(round): \(one) and \(other) are the same query") }
        if !isSame || !isOther { return }
      }
    }
  }
}

/// Makes random JSON values and spells them in different ways.
private struct ValueMaker {
  indirect enum Value {
    case word(String)
    /// Digits without zeros at their ends, and an exponent.
    case number(digits: String, exponent: Int)
    case text([Unicode.Scalar])
    case list([Value])
    /// Without repeated keys.
    case object([(key: [Unicode.Scalar], value: Value)])
  }

  private static let scalars: [Unicode.Scalar] = [
    "a", "b", "\"", "\\", "/", "\n", "\u{7F}", "é", "\u{301}", "漢", "😀", "\u{2028}", "1", ",", "{",
  ]

  mutating func value(depth: Int, _ random: inout SeededGenerator) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 7 : 4), using: &random) {
    case 0: return .word(["true", "false", "null"].randomElement(using: &random) ?? "null")
    case 1, 2: return number(&random)
    case 3: return .text(text(&random))
    case 4, 5:
      var keys: Set<String> = []
      var members: [(key: [Unicode.Scalar], value: Value)] = []
      for _ in 0..<Int.random(in: 0..<5, using: &random) {
        let key = text(&random)
        // By scalars: composed and decomposed characters are different keys.
        guard keys.insert(key.map { String($0.value) }.joined(separator: " ")).inserted else {
          continue
        }
        members.append((key, value(depth: depth - 1, &random)))
      }
      return .object(members)
    default:
      return .list(
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in value(depth: depth - 1, &random) })
    }
  }

  private func number(_ random: inout SeededGenerator) -> Value {
    let count = Int.random(in: 1...25, using: &random)
    var digits = (0..<count).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
    while digits.hasSuffix("0") { digits.removeLast() }
    while digits.hasPrefix("0") { digits.removeFirst() }
    guard !digits.isEmpty else { return .number(digits: "0", exponent: 0) }
    if Bool.random(using: &random) { digits = "-" + digits }
    return .number(digits: digits, exponent: Int.random(in: -30...30, using: &random))
  }

  private func text(_ random: inout SeededGenerator) -> [Unicode.Scalar] {
    (0..<Int.random(in: 0..<4, using: &random)).compactMap { _ in
      ValueMaker.scalars.randomElement(using: &random)
    }
  }

  /// A value that differs in exactly one place.
  mutating func changed(_ value: Value, _ random: inout SeededGenerator) -> Value {
    switch value {
    case .word(let word): return .word(word == "true" ? "false" : "true")
    case .number(let digits, let exponent):
      return digits == "0"
        ? .number(digits: "1", exponent: 0) : .number(digits: digits, exponent: exponent + 1)
    case .text(let text): return .text(text + ["z"])
    case .list(let elements):
      guard let index = elements.indices.randomElement(using: &random) else {
        return .list([.word("null")])
      }
      var elements = elements
      elements[index] = changed(elements[index], &random)
      return .list(elements)
    case .object(let members):
      guard let index = members.indices.randomElement(using: &random) else {
        return .object([(["z"], .word("null"))])
      }
      var members = members
      if Bool.random(using: &random) {
        members[index].key.append("z")
      } else {
        members[index].value = changed(members[index].value, &random)
      }
      return .object(members)
    }
  }

  func spelled(_ value: Value, _ random: inout SeededGenerator) -> String {
    let space = { (random: inout SeededGenerator) in
      ["", "", "", " ", "\n\t"].randomElement(using: &random) ?? ""
    }
    switch value {
    case .word(let word): return space(&random) + word
    case .number(let digits, let exponent): return spelled(digits, exponent, &random)
    case .text(let text): return spelled(text, &random)
    case .list(let elements):
      let parts = elements.map { space(&random) + spelled($0, &random) + space(&random) }
      return "[" + parts.joined(separator: ",") + "]"
    case .object(let members):
      var parts = members.shuffled(using: &random).map { member in
        space(&random) + spelled(member.key, &random) + space(&random) + ":"
          + spelled(member.value, &random)
      }
      // An earlier value of a repeated key does not count.
      if let member = members.randomElement(using: &random), Bool.random(using: &random) {
        parts.insert(spelled(member.key, &random) + ":0", at: 0)
      }
      return "{" + parts.joined(separator: ",") + "}"
    }
  }

  private func spelled(_ digits: String, _ exponent: Int, _ random: inout SeededGenerator) -> String
  {
    guard digits != "0" else {
      return ["0", "-0", "0.0", "0e5", "-0.00E-3"].randomElement(using: &random) ?? "0"
    }
    let sign = digits.hasPrefix("-") ? "-" : ""
    let digits = String(digits.drop { $0 == "-" })
    let zeros = Int.random(in: 0..<3, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return "\(sign)\(digits)\(String(repeating: "0", count: zeros))e\(exponent - zeros)"
    case 1:
      let (first, rest) = (digits.prefix(1), digits.dropFirst())
      let fraction = rest + String(repeating: "0", count: zeros)
      return "\(sign)\(first)\(fraction.isEmpty ? "" : ".")\(fraction)E"
        + "\(exponent + rest.count >= 0 ? "+" : "")\(exponent + rest.count)"
    default:
      return "\(sign)0.\(String(repeating: "0", count: zeros))\(digits)e"
        + "\(exponent + digits.count + zeros)"
    }
  }

  private func spelled(_ text: [Unicode.Scalar], _ random: inout SeededGenerator) -> String {
    var result = "\""
    for scalar in text {
      let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
      if mustEscape || Int.random(in: 0..<3, using: &random) == 0 {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
