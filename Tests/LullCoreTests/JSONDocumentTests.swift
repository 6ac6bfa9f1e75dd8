import Glibc
import Testing

@testable import LullCore

@Suite struct JSONDocumentTests {
  private func parse(_ text: String) throws(JSONError) -> JSONElement {
    try JSONDocument(parsing: Array(text.utf8)).root
  }

  private func failure(_ bytes: [UInt8]) -> JSONError? {
    do throws(JSONError) {
      _ = try JSONDocument(parsing: bytes)
      return nil
    } catch {
      return error
    }
  }

  private func encoded(_ element: JSONElement, pretty: Bool = false) -> String {
    var bytes: [UInt8] = []
    element.encode(into: &bytes, pretty: pretty)
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: What is JSON

  @Test(
    arguments: [
      ("17", .int(17)), (" null ", .null), ("true", .bool(true)), ("false", .bool(false)),
      ("\"a\"", .string("a")), ("1.5", .double(1.5)), ("[]", .array([])), ("{}", .object([])),
      ("\t\r\n [1]\n", .array([.int(1)])),
    ] as [(String, JSONValue)])
  func `JSN-04 JSN-17 any value may be outermost`(text: String, value: JSONValue) throws {
    #expect(try parse(text).plainValue == value)
  }

  @Test(
    arguments: [
      ("", "unexpected end of the text", 0),
      (" \n", "unexpected end of the text", 2),
      ("[1,", "unexpected end of the text", 3),
      ("[1", "unexpected end of the text", 2),
      ("{\"a\"", "unexpected end of the text", 4),
      ("[1,]", "expected a value", 3),
      ("[,1]", "expected a value", 1),
      ("[1 2]", "expected a comma or ]", 3),
      ("[1}", "expected a comma or ]", 2),
      ("{\"a\":1 \"b\":2}", "expected a comma or }", 7),
      ("{\"a\":1,}", "expected a key in double quotes", 7),
      ("{a:1}", "expected a key in double quotes", 1),
      ("{1:1}", "expected a key in double quotes", 1),
      ("{\"a\" 1}", "expected a colon after the key", 5),
      ("1 2", "unexpected text after the value", 2),
      ("[1]]", "unexpected text after the value", 3),
      ("{}x", "unexpected text after the value", 2),
      ("tru", "expected a value", 0),
      ("truee", "unexpected text after the value", 4),
      ("[nul]", "expected a value", 1),
      ("NaN", "expected a value", 0),
      ("Infinity", "expected a value", 0),
      ("'a'", "expected a value", 0),
      ("// no\n1", "expected a value", 0),
      ("+1", "expected a value", 0),
      (".5", "expected a value", 0),
      ("01", "a number must not begin with a zero", 0),
      ("[-01]", "a number must not begin with a zero", 1),
      ("-", "invalid number", 0),
      ("1.", "invalid number", 0),
      ("1e", "invalid number", 0),
      ("1e+", "invalid number", 0),
      ("[1.e1]", "invalid number", 1),
      ("0x10", "unexpected text after the value", 1),
      ("\"abc", "a string is not closed", 0),
      ("[\"abc\\\"]", "a string is not closed", 1),
      ("\"\\x\"", "invalid escape in a string", 1),
      ("\"\\u12g4\"", "invalid escape in a string", 1),
      ("\"a\\u123\"", "invalid escape in a string", 2),
      ("\"\\ud800\"", "half of a surrogate pair stands alone in a string", 1),
      ("\"\\udc00\"", "half of a surrogate pair stands alone in a string", 1),
      ("\"\\ud800\\ud800\"", "half of a surrogate pair stands alone in a string", 1),
      ("\"\\ud888\\u1234\"", "half of a surrogate pair stands alone in a string", 1),
      ("\"\\ud800x\"", "half of a surrogate pair stands alone in a string", 1),
      ("{\"\\uDFFF\":1}", "half of a surrogate pair stands alone in a string", 2),
      ("\u{FEFF}[1,]", "expected a value", 6),
      ("\u{FEFF}", "unexpected end of the text", 3),
      ("\u{FEFF}\u{FEFF}1", "expected a value", 3),
      ("[1]\u{0}", "unexpected text after the value", 3),
      ("[1\u{0C}]", "expected a comma or ]", 2),
      ("[1\u{A0}]", "expected a comma or ]", 2),
    ] as [(String, String, Int)])
  func `JSN-03 JSN-10 JSN-11 malformed text is refused with the reason and its place`(
    text: String, message: String, offset: Int
  ) {
    #expect(failure(Array(text.utf8)) == JSONError(message, offset: offset))
  }

  @Test(
    arguments: [
      [0xFF], [0xD8], [0x80], [0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xE2, 0x82], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
    ] as [[UInt8]])
  func `JSN-11 invalid UTF-8 is malformed, in strings, keys and elsewhere`(bytes: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    #expect(failure([quote] + bytes + [quote]) == JSONError("invalid UTF-8", offset: 1))
    #expect(
      failure(Array("{\"".utf8) + bytes + Array("\":1}".utf8))
        == JSONError("invalid UTF-8", offset: 2))
    #expect(failure(bytes) != nil)
    // Far enough in for whole vectors to come before.
    let long = Array("\"".utf8) + Array(repeating: 97, count: 200)
    #expect(failure(long + bytes + [quote]) == JSONError("invalid UTF-8", offset: 201))
  }

  @Test func `JSN-11 JSN-16 a raw control character in a string is malformed, escaped it is kept`()
    throws
  {
    for code in UInt8(0)..<0x20 {
      let raw = Array("[\"a".utf8) + [code] + Array("b\"]".utf8)
      let message = "a control character in a string must be escaped"
      #expect(failure(raw) == JSONError(message, offset: 3), "U+\(code)")
      let key = Array("{\"a".utf8) + [code] + Array("b\":1}".utf8)
      #expect(failure(key) == JSONError(message, offset: 3), "U+\(code)")

      let digits = String(code, radix: 16)
      let escaped = "\"a\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)b\""
      let expected = "a" + String(Unicode.Scalar(code)) + "b"
      #expect(try parse(escaped).string == expected)
      #expect(try parse(encoded(parse(escaped))).string == expected)
    }
    #expect(try parse("\"\u{7F}\"").string == "\u{7F}")
  }

  @Test func `JSN-16 every escape is resolved, and U+0000 kept in strings and keys`() throws {
    #expect(try parse(#""\"\\\/\b\f\n\r\t""#).string == "\"\\/\u{8}\u{C}\n\r\t")
    #expect(try parse(#""\u0041\u00e9\u20AC\ud83d\uDE00""#).string == "Aé€😀")
    #expect(try parse(#""a\u0000b""#).string == "a\u{0}b")
    let object = try parse(#"{"k\u0000":1,"k":2}"#)
    #expect(object["k\u{0}"]?.int == 1)
    #expect(object["k"]?.int == 2)
    #expect(encoded(object) == #"{"k\u0000":1,"k":2}"#)
  }

  // MARK: Numbers

  @Test(
    arguments: [
      ("0", .int(0)), ("-0", .int(0)), ("-1", .int(-1)),
      ("9223372036854775806", .int(.max - 1)),
      ("9223372036854775807", .int(.max)),
      ("9223372036854775808", .double(0x1p63)),
      ("-9223372036854775807", .int(.min + 1)),
      ("-9223372036854775808", .int(.min)),
      ("-9223372036854775809", .double(-0x1p63)),
      ("18446744073709551614", .double(0x1p64)),
      ("18446744073709551615", .double(0x1p64)),
      ("18446744073709551616", .double(0x1p64)),
      ("123456789012345678901234567890", .double(1.2345678901234568e29)),
      ("-123456789012345678901234567890", .double(-1.2345678901234568e29)),
      ("1E5", .double(100_000)), ("1e0", .double(1)), ("1.0", .double(1)), ("0.1", .double(0.1)),
      ("-0.0", .double(-0.0)), ("1e308", .double(1e308)), ("-1e308", .double(-1e308)),
      ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
      ("4.9e-324", .double(.leastNonzeroMagnitude)), ("1e-400", .double(0)),
      ("0e99999999999", .double(0)), ("0.1e+1", .double(1)),
      ("2.2250738585072011e-308", .double(.leastNormalMagnitude.nextDown)),
      ("9007199254740993.0", .double(9_007_199_254_740_992)),
    ] as [(String, JSONValue)])
  func `JSN-12 integers of 64 signed bits are integers, all other numbers doubles`(
    text: String, value: JSONValue
  ) throws {
    let places = [
      (text, ""), ("[\(text)]", "/0"), ("{\"a\":\(text)}", "/a"), ("[1,\(text) ,2]", "/1"),
    ]
    for (wrapped, place) in places {
      let number = try #require(try parse(wrapped)[pointer: place])
      switch value {
      case .int(let int):
        #expect(number.kind == .int)
        #expect(number.int == int)
      case .double(let double):
        #expect(number.kind == .double)
        #expect(number.int == nil)
        // Bits, since -0 equals 0.
        #expect(number.double?.bitPattern == double.bitPattern)
      default: Issue.record("not a number")
      }
      #expect(try parse(encoded(number)) == number)
    }
  }

  @Test(arguments: [
    "1e309", "-1e309", "1.7976931348623159e308", "1e99999999999999999999",
    String(repeating: "9", count: 400), "-" + String(repeating: "9", count: 400),
  ])
  func `JSN-12 a number beyond a double's range is malformed`(text: String) {
    #expect(failure(Array(text.utf8)) == JSONError("a number is too large"))
    #expect(failure(Array("[\(text)]".utf8)) == JSONError("a number is too large"))
  }

  @Test func `JSN-12 large integers stay alone in being widened, whatever stands around them`()
    throws
  {
    let large = "123456789012345678901234567890"
    let root = try parse(
      #"{"\"\#(large)":["\#(large)","\\",\#(large),\#(large).5,\#(large)e1,-\#(large),7,"#
        + #""\\\"\#(large)",18446744073709551615,\#(large)]}"#)
    #expect(root.pairs.map(\.key) == ["\"" + large])
    let elements = try #require(root.pairs.first).value.elements.map(\.plainValue)
    let double = 1.2345678901234568e29
    let expected: [JSONValue] = [
      .string(large), .string("\\"), .double(double), .double(double), .double(double * 10),
      .double(-double), .int(7), .string("\\\"" + large), .double(0x1p64),
      .double(double),
    ]
    #expect(elements == expected)
    #expect(failure(Array("[\(large),]".utf8)) == JSONError("expected a value", offset: 32))
    #expect(failure(Array("[\(large),1e999]".utf8)) == JSONError("a number is too large"))
    #expect(failure(Array("[\(large)".utf8))?.message == "unexpected end of the text")
    #expect(
      failure(Array("[0\(large)]".utf8))
        == JSONError("a number must not begin with a zero", offset: 1))
  }

  // MARK: Depth

  @Test(arguments: ["1", "", "123456789012345678901234567890"], ["[", "{\"a\":", "[0,{\"b\":"])
  func `JSN-14 a thousand levels are accepted, one more is malformed`(
    inner: String, opening: String
  ) throws {
    let levels = opening == "[0,{\"b\":" ? 2 : 1
    let closing = ["[": "]", "{\"a\":": "}"][opening] ?? "}]"
    func nested(_ count: Int, _ inner: String) -> String {
      String(repeating: opening, count: count / levels) + inner
        + String(repeating: closing, count: count / levels)
    }
    let last = inner.isEmpty ? "[]" : "[\(inner)]"
    #expect(try parse(nested(998, last)).kind != .null)
    if levels == 1 { #expect(try parse(nested(999, last)).kind != .null) }
    #expect(try parse("[" + nested(998, last) + "]").kind == .array)
    #expect(try parse("[" + nested(998, "{}") + "]").kind == .array)
    let error = failure(Array(nested(1000, last).utf8))
    #expect(error?.message == "nested more than 1000 levels deep")
    #expect(error?.offset == opening.utf8.count * 1000 / levels)
    #expect(failure(Array(nested(1000, "{}").utf8))?.message == error?.message)
  }

  @Test(arguments: ["[]", "{}"])
  func `a thousand levels can be read, compared and written`(innermost: String) throws {
    let isArray = innermost == "[]"
    let text =
      String(repeating: isArray ? "[" : "{\"a\":", count: 999) + innermost
      + String(repeating: isArray ? "]" : "}", count: 999)
    let root = try parse(text)
    #expect(encoded(root) == text)
    #expect(try root.plainValue.encode() == Array(text.utf8))
    #expect(try root == parse(" " + text))
  }

  @Test func `JSN-14 very deep nesting is refused without harm`() {
    for opening in ["[", "{\"a\":", "[[],"] {
      for count in [100_000, 1_000_000] {
        let text = String(repeating: opening, count: count)
        #expect(failure(Array(text.utf8)) != nil)
        #expect(failure(Array((text + "1").utf8)) != nil)
      }
    }
    let closed = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    #expect(
      failure(Array(closed.utf8))
        == JSONError("nested more than 1000 levels deep", offset: 1000))
  }

  // MARK: Encodings

  private func wide(_ text: String, unit: Int, bigEndian: Bool, mark: Bool) -> [UInt8] {
    let text = mark ? "\u{FEFF}" + text : text
    let units = unit == 2 ? text.utf16.map(UInt32.init) : text.unicodeScalars.map(\.value)
    return units.flatMap { value -> [UInt8] in
      let bytes = (0..<unit).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return bigEndian ? bytes.reversed() : bytes
    }
  }

  @Test(arguments: [
    "1", "12", "[]", "{}", "\"é\"", "\"日\"", "\"😀\"", "[\"Aé日😀\\ud83d\\ude00\"]", "null ",
    "{\"日\":[1,2.5,123456789012345678901234567890]}", "\"日本語日本語\"", "\n1",
  ])
  func `JSN-15 UTF-16 and UTF-32 of either order are read, with or without a mark`(text: String)
    throws
  {
    let expected = try parse(text)
    for unit in [2, 4] {
      for bigEndian in [true, false] {
        for mark in [true, false] {
          let bytes = wide(text, unit: unit, bigEndian: bigEndian, mark: mark)
          let document = try JSONDocument(parsing: bytes)
          #expect(document.root == expected, "\(unit) \(bigEndian) \(mark)")
        }
      }
    }
  }

  @Test func `JSN-15 a long text is transcoded whole`() throws {
    let element = "{\"日本\":\"é😀 \\n\",\"n\":12345}"
    let text = "[" + Array(repeating: element, count: 3000).joined(separator: ",") + "]"
    let expected = try parse(text)
    for unit in [2, 4] {
      let bytes = wide(text, unit: unit, bigEndian: false, mark: true)
      #expect(try JSONDocument(parsing: bytes).root == expected)
    }
  }

  @Test func `JSN-15 a UTF-8 mark is skipped`() throws {
    #expect(try parse("\u{FEFF}[1]")[0]?.int == 1)
    #expect(try parse("\u{FEFF}\"\u{FEFF}\"").string == "\u{FEFF}")
  }

  @Test(
    arguments: [
      ([0xFE, 0xFF], "unexpected end of the text", nil),
      ([0xFE, 0xFF, 0x00], "invalid UTF-16", 2),
      ([0x00, 0x31, 0x00], "invalid UTF-16", 2),
      ([0x00, 0x22, 0xD8, 0x00, 0x00, 0x22], "invalid UTF-16", 2),
      ([0x00, 0x22, 0xDC, 0x00, 0x00, 0x22], "invalid UTF-16", 2),
      ([0x00, 0x22, 0xD8, 0x00], "invalid UTF-16", 2),
      ([0x22, 0x00, 0x00, 0xD8, 0x22, 0x00], "invalid UTF-16", 2),
      ([0xFF, 0xFE, 0, 0], "unexpected end of the text", nil),
      ([0, 0, 0, 0x31, 0, 0], "invalid UTF-32", 4),
      ([0, 0, 0, 0x22, 0, 0, 0xD8, 0, 0, 0, 0, 0x22], "invalid UTF-32", 4),
      ([0, 0, 0, 0x22, 0, 0x11, 0, 0, 0, 0, 0, 0x22], "invalid UTF-32", 4),
      ([0x31, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], "invalid UTF-32", 4),
      ([0, 0], "invalid UTF-32", 0),
      ([0], "invalid UTF-16", 0),
      ([0x31, 0, 0x00, 0x00, 0x00], "invalid UTF-32", 4),
    ] as [([UInt8], String, Int?)])
  func `JSN-15 broken UTF-16 and UTF-32 are malformed`(
    bytes: [UInt8], message: String, offset: Int?
  ) {
    #expect(failure(bytes) == JSONError(message, offset: offset))
  }

  // MARK: Reading

  @Test func `values are reached by key, position and JSON Pointer`() throws {
    let root = try parse(
      #"{"a":{"b":[10,{"c/d":true,"e~f":null,"":"x"}]},"0":"zero","é":1,"e\u0301":2}"#)
    #expect(root["a"]?["b"]?[0]?.int == 10)
    #expect(root["a"]?["b"]?[1]?["c/d"]?.bool == true)
    #expect(root["nope"] == nil)
    #expect(root[0] == nil)
    #expect(root["a"]?["b"]?[2] == nil)
    #expect(root["a"]?["b"]?[-1] == nil)
    // Keys are bytes, not what looks alike.
    #expect(root["\u{E9}"]?.int == 1)
    #expect(root["e\u{301}"]?.int == 2)

    #expect(root[pointer: ""] == root)
    #expect(root[pointer: "/a/b/0"]?.int == 10)
    #expect(root[pointer: "/a/b/1/c~1d"]?.bool == true)
    #expect(root[pointer: "/a/b/1/e~0f"]?.isNull == true)
    #expect(root[pointer: "/a/b/1/"]?.string == "x")
    #expect(root[pointer: "/0"]?.string == "zero")
    for wrong in [
      "a", "/a/b/00", "/a/b/-", "/a/b/2", "/a/b/x", "/a/b/", "/a~2", "/a~", "/a/b/0/0",
      "/a/b/+0", "/a/b/99999999999999999999",
    ] {
      #expect(root[pointer: wrong] == nil, "\(wrong)")
    }
  }

  @Test func `asking for another type gives nothing, never an error`() throws {
    for text in ["null", "true", "1", "1.5", "\"1\"", "[1]", "{\"a\":1}"] {
      let element = try parse(text)
      #expect((element.bool != nil) == (element.kind == .bool))
      #expect((element.int != nil) == (element.kind == .int))
      #expect((element.double != nil) == (element.kind == .int || element.kind == .double))
      #expect((element.string != nil) == (element.kind == .string))
      #expect((element[0] != nil) == (element.kind == .array))
      #expect((element["a"] != nil) == (element.kind == .object))
      #expect(element.pairs.count == (element.kind == .object ? 1 : 0))
      #expect(Array(element.elements).count == (element.kind == .array ? 1 : 0))
      #expect(element.count == (element.kind == .object || element.kind == .array ? 1 : 0))
    }
  }

  @Test(arguments: [2, 10, 40])
  func `JSN-13 of repeated keys the last wins, at the first position`(others: Int) throws {
    let filling = (0..<others).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    let root = try parse(
      #"{"a":1,\#(filling),"b":2,"a":{"x":3},"k1":"new","\u0061":[4],"c":5}"#)
    #expect(root["a"]?[0]?.int == 4)
    #expect(root["k1"]?.string == "new")
    #expect(root["c"]?.int == 5)
    #expect(root["d"] == nil)
    #expect(root.count == others + 3)
    let keys = ["a"] + (0..<others).map { "k\($0)" } + ["b", "c"]
    #expect(root.pairs.map(\.key) == keys)
    #expect(root.pairs.first?.value[0]?.int == 4)
    let rest = (0..<others).map { $0 == 1 ? "\"k1\":\"new\"" : "\"k\($0)\":\($0)" }
    #expect(encoded(root) == "{\"a\":[4],\(rest.joined(separator: ",")),\"b\":2,\"c\":5}")
    #expect(root.plainValue["a"] == .array([.int(4)]))
    #expect(try parse(encoded(root)) == root)
  }

  @Test func `large containers are reached at every place`() throws {
    let count = 3000
    let numbers = (0..<count).map { $0.isMultiple(of: 3) ? "\"\($0)\"" : "[\($0)]" }
    let array = try parse("[" + numbers.joined(separator: ",") + "]")
    let members = (0..<count).map { "\"key\($0)\":\($0)" }
    let object = try parse("{" + members.joined(separator: ",") + "}")
    #expect(array.count == count)
    #expect(object.count == count)
    for place in (0..<count).reversed() {
      let element = array[place]
      #expect(element?.string == (place.isMultiple(of: 3) ? "\(place)" : nil))
      #expect(element?[0]?.int == (place.isMultiple(of: 3) ? nil : place))
      #expect(object["key\(place)"]?.int == place)
    }
    #expect(array[count] == nil)
    #expect(object["key\(count)"] == nil)
    #expect(object[""] == nil)
    #expect(array.elements.reduce(0) { sum, _ in sum + 1 } == count)
  }

  @Test func `many threads may parse, and search one document at once`() async throws {
    let members = (0..<50).map {
      "\"k\($0)\":[\((0..<50).map(String.init).joined(separator: ","))]"
    }
    let text = "{" + members.joined(separator: ",") + "}"
    for _ in 0..<20 {
      let root = try parse(text)
      await withTaskGroup(of: Bool.self) { group in
        for task in 0..<8 {
          group.addTask {
            (0..<50).allSatisfy { place in
              let key = "k\((place + task) % 50)"
              guard root[key]?[(place * 7) % 50]?.int == (place * 7) % 50 else { return false }
              let own = try? JSONDocument(parsing: Array("[\(place),\"\(key)\"]".utf8))
              return own?.root[1]?.string == key
            }
          }
        }
        for await isRight in group { #expect(isRight) }
      }
    }
  }

  @Test(arguments: [
    ("1", "1.0", true), ("1", "2", false), ("1.5", "1.5", true), ("-0.0", "0", true),
    ("9007199254740993", "9007199254740992.0", false),
    ("9223372036854775807", "9223372036854775808", false),
    ("9223372036854775807", "9223372036854775807.0", false),
    ("\"a\"", "\"\\u0061\"", true), ("\"a\"", "\"b\"", false), ("\"é\"", "\"e\u{301}\"", false),
    ("null", "null", true), ("true", "false", false), ("null", "false", false),
    ("[1,2]", "[1, 2]", true), ("[1,2]", "[2,1]", false), ("[1]", "[1,1]", false),
    ("[]", "{}", false), ("[[]]", "[[]]", true),
    (#"{"a":1,"b":[2]}"#, #"{"b":[2.0],"a":1}"#, true),
    (#"{"a":1}"#, #"{"a":2,"a":1}"#, true), (#"{"a":1}"#, #"{"a":1,"b":2}"#, false),
    (#"{"a":1,"b":1}"#, #"{"a":1,"a":1}"#, false), (#"{"a":null}"#, #"{"b":null}"#, false),
  ])
  func `JSN-13 documents are compared by content`(one: String, other: String, same: Bool) throws {
    let one = try parse(one)
    let other = try parse(other)
    #expect((one == other) == same)
    #expect((other == one) == same)
    #expect((one.plainValue == other.plainValue) == same)
    #expect((other.plainValue == one.plainValue) == same)
  }

  // MARK: Writing

  @Test(arguments: [
    ("[2,\"be\"]", "[2,\"be\"]"),
    (" [ 1 , -2.50 , { \"a\" : [ ] , \"b\" : { } } ] ", #"[1,-2.5,{"a":[],"b":{}}]"#),
    (
      #""\"\\\/\b\f\n\r\t\u001f\u0000\u007f\u00e9\ud83d\ude00\u2028""#,
      "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u001f\\u0000\u{7F}é😀\u{2028}\""
    ),
    ("[1e5,1.0,0.1,1e23,5e-324,-0.0]", "[100000.0,1.0,0.1,1e+23,5e-324,-0.0]"),
    ("[9223372036854775807,-9223372036854775808]", "[9223372036854775807,-9223372036854775808]"),
    ("18446744073709551615", "1.8446744073709552e+19"),
    ("[true,false,null]", "[true,false,null]"),
  ])
  func `JSN-13 REQ-10 writing is compact and escapes only what must be`(
    text: String, written: String
  ) throws {
    let root = try parse(text)
    #expect(encoded(root) == written)
    #expect(try root.plainValue.encode() == Array(written.utf8))
    #expect(try parse(written) == root)
  }

  @Test func `writing appends to what is there`() throws {
    var output = Array("x=".utf8)
    try parse("[1]").encode(into: &output)
    try parse("2").encode(into: &output)
    #expect(output == Array("x=[1]2".utf8))
  }

  @Test func `pretty text has a line for each value, two spaces for each level`() throws {
    let root = try parse(#"{"a":[1,{"b":[]}],"c":{}}"#)
    let expected = """
      {
        "a": [
          1,
          {
            "b": []
          }
        ],
        "c": {}
      }
      """
    #expect(encoded(root, pretty: true) == expected)
    #expect(try root.plainValue.encode(pretty: true) == Array(expected.utf8))
  }

  @Test func `REQ-10 plain values can be written down as literals, and are written as JSON`() throws
  {
    let value: JSONValue = ["b": [1, 2.5, "x", true, .null], "a": [:], "b": [], "c": ["d": -1]]
    #expect(try value.encode() == Array(#"{"b":[],"a":{},"c":{"d":-1}}"#.utf8))
    #expect(value["c"]?["d"] == -1)
    // Repeated keys, and keys that only look repeated.
    let repeated: JSONValue = ["é": 1, "e\u{301}": 2, "a": 3, "é": 4]
    #expect(try repeated.encode() == Array("{\"é\":4,\"e\u{301}\":2,\"a\":3}".utf8))
    #expect(repeated["é"] == 4)
    #expect(repeated == ["a": 3, "e\u{301}": 2, "é": 4])
    #expect(repeated != ["a": 3, "é": 2, "e\u{301}": 4])
    #expect(value["b"]?[0] == nil)
    #expect(try parse(#"{"c":{"d":-1.0},"a":{},"b":[]}"#).plainValue == value)
  }

  @Test func `REQ-13 DYN-02 a number JSON does not have is refused with its path`() {
    for number in [Double.nan, .infinity, -.infinity] {
      let value = JSONValue.object([
        .init("a/b", .array([.int(1), .object([.init("~", .double(number))])]))
      ])
      #expect(throws: JSONError("JSON has no number \(number)", path: "/a~1b/1/~0")) {
        try value.encode()
      }
    }
  }

  // MARK: Memory

  @Test func `a small document takes little more than its text`() throws {
    let text = #"{"id":12345,"name":"Alice","email":"alice@example.org"}"#
    let document = try JSONDocument(parsing: Array(text.utf8))
    #expect(text.utf8.count <= 56)
    #expect(document.memory <= 224)
    let large = "[" + Array(repeating: text, count: 5000).joined(separator: ",") + "]"
    #expect(try JSONDocument(parsing: Array(large.utf8)).memory < 3 * large.utf8.count)
  }

  @Test func `text is read up to its end and no further, wherever it lies in memory`() throws {
    let page = 4096
    let size = 8 * page
    // Fresh anonymous memory of our own; the page behind it must not be touched.
    let raw = mmap(nil, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    let memory = try #require(raw)
    defer { munmap(memory, size + page) }
    try #require(mprotect(memory + size, page, PROT_NONE) == 0)
    let bytes = UnsafeMutableRawBufferPointer(start: memory, count: size)

    for length in [2, 3, 54, 63, 64, 65, 100, 4000, 16_384, 16_385, 17_000, 20_000] {
      let elements = Array(repeating: "7", count: length / 2).joined(separator: ",")
      let text = Array("[\(elements)]".utf8)
      for distance in [0, 1, 2, 31, 32, 63, 64, 65, 200] {
        // What lies behind the text must not matter: here it is what would go on with it.
        bytes.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "7"))
        let start = size - distance - text.count
        bytes[start..<(start + text.count)].copyBytes(from: text)
        // The text lies within the readable pages, aligned like any bytes.
        let place = UnsafeBufferPointer(
          start: (memory + start).assumingMemoryBound(to: UInt8.self), count: text.count)
        let document = try JSONDocument(parsing: place)
        #expect(document.root.count == length / 2)
        let cut = UnsafeBufferPointer(rebasing: place.dropLast())
        #expect(throws: JSONError.self) { try JSONDocument(parsing: cut) }
      }
    }
  }

  @Test func `JSN-10 no bytes at all are malformed`() {
    let nothing = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    #expect(throws: JSONError("unexpected end of the text", offset: 0)) {
      try JSONDocument(parsing: nothing)
    }
  }

  // MARK: Against another parser

  @Test func `20,000 generated documents, half of them damaged, read as another parser reads them`()
  {
    var generator = DocumentGenerator(seed: 0x5EED)
    var accepted = 0
    for round in 0..<20_000 {
      var bytes = generator.document(size: round.isMultiple(of: 500) ? 3000 : 12)
      if !round.isMultiple(of: 2) { generator.damage(&bytes) }
      check(bytes)
      if ReferenceParser.parse(bytes) != nil { accepted += 1 }
    }
    // Damage is often harmless: in a string, or a digit for another.
    #expect(accepted > 10_000 && accepted < 18_000)
  }

  @Test func `a document cut anywhere is refused, and nothing crashes`() {
    var generator = DocumentGenerator(seed: 77)
    for _ in 0..<60 {
      let bytes = generator.document(size: 20)
      for length in 0..<bytes.count { check(Array(bytes.prefix(length))) }
    }
  }

  private func check(_ bytes: [UInt8]) {
    let expected = ReferenceParser.parse(bytes)
    let text = String(decoding: bytes.prefix(300), as: UTF8.self)
    do throws(JSONError) {
      let root = try JSONDocument(parsing: bytes).root
      guard let expected else {
        Issue.record("accepted: \(text)")
        return
      }
      guard matches(root, expected), root.plainValue == expected else {
        Issue.record("read differently: \(text)")
        return
      }
      var written: [UInt8] = []
      root.encode(into: &written)
      guard ReferenceParser.parse(written) == expected,
        try JSONDocument(parsing: written).root == root
      else {
        Issue.record("written differently: \(text)")
        return
      }
    } catch {
      if expected != nil { Issue.record("refused: \(error): \(text)") }
    }
  }

  /// Whether reading the element by every way there is gives that value.
  private func matches(_ element: JSONElement, _ value: JSONValue) -> Bool {
    switch value {
    case .null: return element.isNull && element.kind == .null
    case .bool(let bool): return element.bool == bool
    case .int(let int): return element.int == int
    case .double(let double):
      return element.double?.bitPattern == double.bitPattern
        && element.int == nil
    case .string(let string):
      return element.string.map { Array($0.utf8) == Array(string.utf8) } ?? false
    case .array(let values):
      guard element.count == values.count else { return false }
      var position = 0
      for child in element.elements {
        guard matches(child, values[position]), let same = element[position],
          same.index == child.index
        else { return false }
        position += 1
      }
      return position == values.count
    case .object(let members):
      let pairs = element.pairs
      // The reference keeps repeated keys; here each counts once.
      var last: [[UInt8]: JSONValue] = [:]
      var order: [[UInt8]] = []
      for member in members {
        let key = Array(member.key.utf8)
        if last.updateValue(member.value, forKey: key) == nil { order.append(key) }
      }
      guard pairs.count == order.count, element.count == order.count else { return false }
      for (pair, key) in zip(pairs, order) {
        guard Array(pair.key.utf8) == key, let expected = last[key],
          matches(pair.value, expected), element[pair.key]?.index == pair.value.index
        else { return false }
      }
      return true
    }
  }
}

/// A parser of its own making to compare with: slow, small, and strict in UTF-8.
private struct ReferenceParser {
  private let bytes: [UInt8]
  private var at = 0
  private var depth = 0

  static func parse(_ bytes: [UInt8]) -> JSONValue? {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var parser = ReferenceParser(bytes: bytes)
    guard let value = parser.value() else { return nil }
    parser.skipSpace()
    return parser.at == bytes.count ? value : nil
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 32 || byte == 9 || byte == 10 || byte == 13 { at += 1 }
  }

  private mutating func take(_ text: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard bytes[at...].starts(with: wanted) else { return false }
    at += wanted.count
    return true
  }

  private mutating func value() -> JSONValue? {
    skipSpace()
    if take("null") { return .null }
    if take("true") { return .bool(true) }
    if take("false") { return .bool(false) }
    if take("\"") { return string().map(JSONValue.string) }
    if take("[") { return array() }
    if take("{") { return object() }
    return number()
  }

  private mutating func array() -> JSONValue? {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 1000 else { return nil }
    var values: [JSONValue] = []
    skipSpace()
    if take("]") { return .array([]) }
    while true {
      guard let value = value() else { return nil }
      values.append(value)
      skipSpace()
      if take("]") { return .array(values) }
      guard take(",") else { return nil }
    }
  }

  private mutating func object() -> JSONValue? {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 1000 else { return nil }
    var members: [JSONValue.Member] = []
    skipSpace()
    if take("}") { return .object([]) }
    while true {
      skipSpace()
      guard take("\""), let key = string() else { return nil }
      skipSpace()
      guard take(":"), let value = value() else { return nil }
      members.append(.init(key, value))
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { return nil }
    }
  }

  private mutating func digits() -> Int {
    let start = at
    while let byte = next, byte >= 48, byte <= 57 { at += 1 }
    return at - start
  }

  private mutating func number() -> JSONValue? {
    let start = at
    _ = take("-")
    if !take("0") { guard digits() > 0 else { return nil } }
    var isInteger = true
    if take(".") {
      isInteger = false
      guard digits() > 0 else { return nil }
    }
    if take("e") || take("E") {
      isInteger = false
      _ = take("+") || take("-")
      guard digits() > 0 else { return nil }
    }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    if isInteger, let int = Int(text) { return .int(int) }
    guard let double = Double(text), double.isFinite else { return nil }
    return .double(double)
  }

  private mutating func string() -> String? {
    var units: [UInt8] = []
    while let byte = next {
      at += 1
      if byte == 34 { return String(decoding: units, as: UTF8.self) }
      if byte < 0x20 { return nil }
      guard byte == 92 else {
        units.append(byte)
        continue
      }
      guard let kind = next else { return nil }
      at += 1
      switch kind {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(kind)
      case UInt8(ascii: "b"): units.append(8)
      case UInt8(ascii: "f"): units.append(12)
      case UInt8(ascii: "n"): units.append(10)
      case UInt8(ascii: "r"): units.append(13)
      case UInt8(ascii: "t"): units.append(9)
      case UInt8(ascii: "u"):
        guard var code = hexadecimal() else { return nil }
        if code >= 0xD800, code < 0xDC00 {
          guard take("\\u"), let low = hexadecimal(), low >= 0xDC00, low < 0xE000 else {
            return nil
          }
          code = 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { return nil }
        units += Array(String(scalar).utf8)
      default: return nil
      }
    }
    return nil
  }

  private mutating func hexadecimal() -> UInt32? {
    guard bytes.count - at >= 4 else { return nil }
    let digits = bytes[at..<(at + 4)]
    at += 4
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }) else {
      return nil
    }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}

/// Makes JSON texts of every form, the same ones each time.
private struct DocumentGenerator {
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
