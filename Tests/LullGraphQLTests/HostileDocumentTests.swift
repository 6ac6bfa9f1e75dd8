import LullGraphQL
import Testing

/// Documents that are made to take long or to crash.
@Suite(.timeLimit(.minutes(20))) struct HostileDocumentTests {
  private static let schema = Result { () throws(GraphQLProblems) in
    try GraphQLSchema(sdl: "type Query { a(x: Int, s: String): Query b: Query c: Int }")
  }

  private static func validate(_ text: String) throws -> GraphQLValidation {
    try schema.get().validate(try GraphQLDocument(text))
  }

  @Test func `GQL-24 fragments that spread each other exponentially often are validated once`()
    throws
  {
    var text = "{ ...F0 }"
    for index in 0..<60 {
      text += " fragment F\(index) on Query { a { ...F\(index + 1) } b { ...F\(index + 1) } "
      text += "x: a { ...F\(index + 1) } ...F\(index + 1) }"
    }
    text += " fragment F60 on Query { c }"
    #expect(try Self.validate(text).isValid)
    let operation = try #require(try GraphQLDocument(text).operations()[...].first)
    #expect(operation.fragments.count == 61)
    // The same with a conflict at the end.
    let invalid = text.replacing(
      "fragment F60 on Query { c }", with: "fragment F60 on Query { c c: b { c } }")
    #expect(try !Self.validate(invalid).isValid)
  }

  @Test func `GQL-24 long chains and cycles of fragments need no stack`() throws {
    let count = 20_000
    var chain = "{ ...F0 }"
    for index in 0..<count { chain += " fragment F\(index) on Query { ...F\(index + 1) }" }
    _ = try Self.validate(chain + " fragment F\(count) on Query { c }")
    let cycle = try Self.validate(chain + " fragment F\(count) on Query { ...F0 }")
    #expect(cycle.problems.contains { $0.message.hasPrefix("the fragment 'F0' spreads itself") })
    var fields = "{ ...F0 ...G0 }"
    for index in 0..<2000 {
      fields += " fragment F\(index) on Query { a { ...F\(index + 1) } }"
      fields += " fragment G\(index) on Query { a { ...G\(index + 1) } }"
    }
    let end = " fragment F2000 on Query { c } fragment G2000 on Query { c: b { c } }"
    let reasons = try Self.validate(fields + end).problems.map(\.message)
    #expect(
      reasons.contains { $0.hasSuffix("differ (use an alias)") || $0.contains("different fields") })
  }

  @Test func `GQL-24 a document that needs too many comparisons is invalid`() throws {
    let many = "{ " + String(repeating: "a(x: 1) { c } ", count: 5000) + "}"
    #expect(
      try Self.validate(many).problems.first?.message.hasPrefix("the document is too complex")
        == true)
    #expect(try Self.validate("{ " + String(repeating: "a(x: 1) { c } ", count: 300) + "}").isValid)
    let unknown = "{ " + (0..<20_000).map { "unknown\($0)" }.joined(separator: " ") + " }"
    #expect(try Self.validate(unknown).problems.count == 100)
  }

  @Test func `GQL-24 a value or a name of 1 MB is read`() throws {
    let long = String(repeating: "x", count: 1_000_000)
    #expect(try Self.validate("{ a(s: \"\(long)\") { c } }").isValid)
    #expect(try Self.validate("{ a(s: \"\"\"\(long)\n  \(long)\"\"\") { c } }").isValid)
    let problems = try Self.validate(
      "{ \(long) a(x: \"\(long)\") { c ...\(long)y } } fragment \(long) on Query { c }"
    ).problems
    #expect(problems.count == 4)
    #expect(problems.allSatisfy { $0.message.utf8.count < 1100 })
    #expect(throws: GraphQLProblem.self) {
      try GraphQLDocument("{ a(x: " + String(repeating: "1", count: 1_000_000) + "x) }")
    }
  }

  @Test func `GQL-25 mutated documents never crash`() throws {
    var random = SplitMix64(state: 0x6772_6170_6871_6C)
    let schema = try GraphQLSchema(sdl: #require(ReferenceCase.schemas["animals"]))
    let cases = ReferenceCase.documents + ReferenceCase.ownSchemas
    let sources = cases.map { Array($0.text.utf8) }
    let words = [
      "{", "}", "(", ")", "[", "]", "...", "...F", "on", "!", "$a", ":", "=", "@skip(if: true)",
      "\"", "\"\"\"", "\\u{", "#", "query", "fragment F on Dog", "extend", "type", "1.5e", "null",
      "input I { i: I! }", "implements", "&", "|", "\u{FEFF}", "\r", "é", "__typename",
      "repeatable",
    ].map { Array($0.utf8) }
    var parsed = 0
    for round in 0..<20_000 {
      var bytes = sources[round % sources.count]
      for _ in 0...random.next(below: 4) {
        let place = random.next(below: bytes.count + 1)
        switch random.next(below: 6) {
        case 0: bytes.insert(contentsOf: words[random.next(below: words.count)], at: place)
        case 1: bytes.insert(UInt8(random.next(below: 256)), at: place)
        case 2 where place < bytes.count: bytes[place] = UInt8(random.next(below: 256))
        case 3:
          bytes.removeSubrange(place..<min(bytes.count, place + random.next(below: 12)))
        case 4:
          let other = sources[random.next(below: sources.count)]
          bytes.insert(contentsOf: other[random.next(below: other.count + 1)...], at: place)
        default:
          let end = min(bytes.count, place + random.next(below: 40))
          bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        }
      }
      guard let document = try? GraphQLDocument(bytes) else { continue }
      parsed += 1
      let result = schema.validate(document)
      #expect(result.problems.allSatisfy { $0.place.offset <= bytes.count })
      for operation in document.operations(schema: schema) {
        #expect((try? GraphQLDocument(operation.text)) != nil)
      }
      let (own, _) = GraphQLSchema.reading([document])
      for field in own.root(.query)?.fields ?? [] {
        _ = try? own.operation(for: field.name, limit: 1000)
      }
    }
    #expect(parsed > 1000)
  }
}

/// A random number generator with a seed.
private struct SplitMix64 {
  var state: UInt64

  mutating func next(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ value >> 31) % UInt64(limit))
  }
}
