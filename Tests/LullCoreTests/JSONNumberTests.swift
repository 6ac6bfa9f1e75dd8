import Testing

@testable import LullCore

/// Numbers of JSON texts.
@Suite(.timeLimit(.minutes(20)))
struct JSONNumberTests: JSONSuite {
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
  func `JSN-12 integers of 64 bits are integers, larger ones have digits, others are doubles`(
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
        let isInteger = text.allSatisfy { $0.isNumber || $0 == "-" } && text != "-0.0"
        #expect(number.digits == (isInteger ? text : nil))
        if isInteger { #expect(encoded(number) == text) }
      default: Issue.record("not a number")
      }
      #expect(try parse(encoded(number)) == number)
    }
  }

  static let beyondDoubles = [
    "1e309", "-1e309", "1E+309", "1.7976931348623159e308", "1e99999999999999999999",
    "-0.00015e99999999999999999999", "12.5e400", String(repeating: "9", count: 400),
    "-" + String(repeating: "9", count: 400), String(repeating: "9", count: 400) + ".5",
  ]

  @Test(arguments: beyondDoubles)
  func `JSN-12 JSN-160 a number beyond a double's range keeps its digits, and so do its neighbours`(
    text: String
  ) throws {
    let infinity: Double = text.hasPrefix("-") ? -.infinity : .infinity
    // The last one is of several blocks.
    let others = String(repeating: "0,", count: 20_000)
    for (wrapped, place) in [
      (text, ""), ("[\(text)]", "/0"), ("{\"a\":\(text)}", "/a"), ("[1,\(text) ,2]", "/1"),
      ("[12345678901234567890123,\(text)]", "/1"), ("[\(others)\(text),\"x\"]", "/20000"),
    ] {
      let root = try parse(wrapped)
      let number = try #require(root[pointer: place])
      #expect(number.kind == .double)
      #expect(number.double == infinity)
      #expect(number.int == nil)
      #expect(number.digits == text)
      #expect(encoded(number) == text)
      #expect(encoded(root) == wrapped.filter { $0 != " " })
      #expect(try parse(encoded(root)) == root)
    }
    let mixed = try parse("[0.5,\(text),\"\(text)\",18446744073709551615,-3]")
    #expect(mixed.elements.map(\.digits) == [nil, text, nil, "18446744073709551615", nil])
    #expect(mixed.elements.map(\.double) == [0.5, infinity, nil, 0x1p64, -3])
    #expect(mixed[2]?.string == text)
  }

  @Test(arguments: beyondDoubles)
  func `JSN-161 a number beyond a double's range fails where a number is needed, at its place`(
    text: String
  ) throws {
    let root = try parse("{\"a\":[1,\(text)],\"b\":2}")
    struct Rest: Decodable { let b: Int }
    #expect(try root.decoded(Rest.self).b == 2)
    struct All<Number: Decodable>: Decodable { let a: [Number] }
    func problem<Number: Decodable>(_ type: Number.Type) -> String? {
      let error = #expect(throws: DecodingError.self) { _ = try root.decoded(All<Number>.self) }
      guard case .dataCorrupted(let context)? = error else { return nil }
      return context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        .joined(separator: ".") + ": " + context.debugDescription
    }
    #expect(problem(Double.self) == "a.1: \(text) does not fit Double")
    #expect(problem(Float.self) == "a.1: \(text) does not fit Float")
    #expect(problem(Int.self) == "a.1: \(text) does not fit Int")
    // As plain values it is an infinity, which cannot be written by mistake.
    #expect(throws: (any Error).self) { try root.plainValue.encode() }
  }

  @Test(arguments: [
    ("1e400", "10e399", true), ("1e400", "1.0E+400", true), ("1e400", "0.01e402", true),
    ("1e400", "1e401", false), ("1e400", "-1e400", false), ("1e400", "1.0001e400", false),
    ("1" + String(repeating: "0", count: 400), "1e400", true), ("1e400", "1e300", false),
    ("1e99999999999999999999", "1e400", false),
  ])
  func `JSN-160 numbers beyond a double's range are the same if they say the same number`(
    one: String, other: String, areSame: Bool
  ) throws {
    #expect((try parse(one) == parse(other)) == areSame)
    #expect((try parse(other) == parse(one)) == areSame)
  }

  @Test(arguments: ["1e400.5", "01e400", "1e", "1.e400", "1e400e400", "--1e400", "1e400x"])
  func `JSN-160 what is no number stays malformed beside one`(text: String) {
    #expect((failure(Array("[\(text)]".utf8))?.offset ?? 0) > 0)
    #expect((failure(Array("[1e400,\(text)]".utf8))?.offset ?? 0) >= 7)
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
    #expect(
      try #require(root.pairs.first).value.elements.map(\.digits) == [
        nil, nil, large, nil, nil, "-" + large, nil, nil, "18446744073709551615", large,
      ])
    #expect(failure(Array("[\(large),]".utf8)) == JSONError("expected a value", offset: 32))
    #expect(try parse("[\(large),1e999]").elements.map(\.digits) == [large, "1e999"])
    #expect(failure(Array("[\(large)".utf8))?.message == "unexpected end of the text")
    #expect(
      failure(Array("[0\(large)]".utf8))
        == JSONError("a number must not begin with a zero", offset: 1))
  }

  @Test func `JSN-12 integers beyond 64 bits are the same only if all their digits are`() throws {
    let texts = [
      "9223372036854775807", "9223372036854775808", "9223372036854775809", "-9223372036854775808",
      "-9223372036854775809", "18446744073709551615", "18446744073709551616",
      "18446744073709551617",
      "36893488147419103232",
    ]
    for one in texts {
      for other in texts { #expect((try parse(one) == parse(other)) == (one == other)) }
    }
    #expect(try parse("18446744073709551616") == parse("18446744073709551616.0"))
    #expect(try parse("18446744073709551617") != parse("18446744073709551616.0"))
    #expect(try parse("9223372036854775808") == parse("9.223372036854775808e18"))
    // Documents of one block, and of several.
    let elements = (0..<4000).map { "1234567890123456789\($0 + 1000)" }
    let large = try parse("[" + elements.joined(separator: ",") + "]")
    #expect(large.elements.map(\.digits) == elements)
    #expect(encoded(large) == "[" + elements.joined(separator: ",") + "]")
  }
}
