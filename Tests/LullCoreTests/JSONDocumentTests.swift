import LullLibC
import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct JSONDocumentTests: JSONSuite {
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
}
