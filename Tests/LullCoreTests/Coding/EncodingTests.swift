import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

/// Types of the program's, written as bodies.
@Suite(.timeLimit(.minutes(20)))
struct EncodingTests {
  private static func encode(_ value: some Encodable) throws -> String {
    String(decoding: try JSONDocument.text(encoding: value), as: UTF8.self)
  }

  struct Order: Encodable {
    struct Line: Encodable {
      var what: String
      var price: Float
    }

    var zebra = 1
    var apple: String? = "x"
    var none: String?
    var lines = [Line(what: "tea", price: 0.1)]
    var big = UInt64.max
    var huge = Int128.max
    var isPaid = false
    var half = 0.5
    var extra: JSONValue = ["b": 1, "a": [.null]]
  }

  @Test func `COD-07 members stand as they are declared, and numbers are exact`() throws {
    #expect(
      try Self.encode(Order()) == """
        {"zebra":1,"apple":"x","lines":[{"what":"tea","price":0.1}],"big":18446744073709551615,\
        "huge":170141183460469231731687303715884105727,"isPaid":false,"half":0.5,\
        "extra":{"b":1,"a":[null]}}
        """)
    #expect(try Self.encode([1, 2]) == "[1,2]")
    #expect(try Self.encode("q\"\n") == "\"q\\\"\\n\"")
    #expect(try Self.encode(Int?.none) == "null")
    #expect(try Self.encode([-128: "m"]) == "{\"-128\":\"m\"}")
    #expect(try Self.encode([UInt8.max: "m"]) == "[255,\"m\"]")
  }

  @Test func `COD-63 dictionaries are sorted, integers by value and names by their bytes`() throws {
    struct Page: Encodable {
      var names = Dictionary(uniqueKeysWithValues: (0..<40).map { ("k\($0)", [$0: "x", -1: "y"]) })
      var last = ["é": 1, "z": 2, "B": 3, "a": 4, "10": 5, "9": 6]
    }
    let names = (0..<40).map { "k\($0)" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { "\"\($0)\":{\"-1\":\"y\",\"\($0.dropFirst())\":\"x\"}" }.joined(separator: ",")
    #expect(
      try Self.encode(Page())
        == "{\"names\":{\(names)},\"last\":{\"9\":6,\"10\":5,\"B\":3,\"a\":4,\"z\":2,\"é\":1}}")
    #expect(try Self.encode([["b": 1, "a": 2]]) == "[{\"a\":2,\"b\":1}]")
    let numbers = Dictionary(uniqueKeysWithValues: (-5..<20).map { ($0, true) })
    let sorted = (-5..<20).map { "\"\($0)\":true" }.joined(separator: ",")
    #expect(try Self.encode(numbers) == "{\(sorted)}")
  }

  @Test func `COD-08 a number that JSON does not have is an error that names the coding path`()
    throws
  {
    struct Scores: Encodable { var users: [[String: Double]] }
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let request = resource.request(
        "POST", encoding: Scores(users: [["a": 1], ["score": .infinity]]))
      #expect(request.isCompleted && harness.provider.requests.isEmpty)
      let cause = request.response?.error?.cause
      #expect(cause?.kind == "invalid_json_object")
      #expect(cause?.message == "users[1].score: JSON cannot represent the number inf")
      let float = resource.request("POST", encoding: [Float.nan])
      #expect(float.response?.error?.cause?.message == "[0]: JSON cannot represent the number nan")
    }
  }

  @Test func `COD-07 a body that is encoded goes out as JSON`() throws {
    try withHarness { harness in
      harness.stub("POST", "/a", .json("{}"))
      let resource = harness.service.resource("/a")
      resource.request("POST", encoding: ["name": "Ada"])
      resource.request("POST", encoding: [1], contentType: "application/x+json") { http in
        http.headers["X-A"] = "b"
      }
      resource.request("POST", body: try .json(encoding: true))
      harness.settle()
      let sent = harness.provider.requests
      #expect(
        sent.map { String(decoding: $0.body ?? [], as: UTF8.self) }
          == ["{\"name\":\"Ada\"}", "[1]", "true"])
      #expect(
        sent.map { $0.headers["content-type"] } == [
          "application/json", "application/x+json", "application/json",
        ])
      #expect(sent[1].headers["x-a"] == "b")
    }
  }

  @Test func `COD-08 what an encode(to:) throws is the cause`() {
    struct Own: Error {}
    struct Stubborn: Encodable {
      func encode(to encoder: any Encoder) throws { throw Own() }
    }
    withHarness { harness in
      let request = harness.service.resource("/a").request("POST", encoding: [Stubborn()])
      guard case .custom(let error) = request.response?.error?.cause else {
        Issue.record("\(String(describing: request.response?.error))")
        return
      }
      #expect(error is Own)
    }
  }

  @Test func `COD-08 types that never end, or say two things at once, are errors`() {
    final class Node: Encodable {
      var next: Node?
      enum Keys: CodingKey { case next }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(next, forKey: .next)
      }
    }
    let node = Node()
    node.next = node
    defer { node.next = nil }
    #expect(throws: EncodingError.self) { try Self.encode(node) }
    struct Twice: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(1)
        try container.encode(2)
      }
    }
    #expect(throws: EncodingError.self) { try Self.encode(Twice()) }
  }

  @Test func `COD-07 nested containers and super may be filled later`() throws {
    struct Late: Encodable {
      enum Keys: CodingKey { case list, inner, a }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        let parent = container.superEncoder()
        var list = container.nestedUnkeyedContainer(forKey: .list)
        var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
        try list.encode(1)
        try inner.encode(true, forKey: .a)
        var deeper = list.nestedContainer(keyedBy: Keys.self)
        try deeper.encodeNil(forKey: .a)
        try list.superEncoder().encode("s")
        var again = encoder.container(keyedBy: Keys.self)
        try again.encode(1, forKey: .a)
        try again.encode(2, forKey: .a)
        try parent.encode("p")
      }
    }
    #expect(
      try Self.encode(Late())
        == "{\"super\":\"p\",\"list\":[1,{\"a\":null},\"s\"],\"inner\":{\"a\":true},\"a\":2}")
    struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
    #expect(try Self.encode([Nothing()]) == "[{}]")
  }

  // MARK: Both ways

  @Test func `COD-09 what is encoded is decoded to the same`() throws {
    var random = SeededGenerator(seed: 19)
    for _ in 0..<300 {
      let user = RandomUser.make(&random, depth: 3)
      let document = try JSONDocument(encoding: user)
      #expect(try document.root.decoded(RandomUser.self) == user)
    }
  }
}

extension Encoder {
  fileprivate func encode(_ value: some Encodable) throws {
    var container = singleValueContainer()
    try container.encode(value)
  }
}

/// A type with members of every kind.
struct RandomUser: Codable, Equatable {
  var name: String
  var age: Int8
  var id: UInt64
  var big: Int128
  var score: Double
  var ratio: Float
  var isActive: Bool?
  var tags: [String]
  var friends: [RandomUser]
  var byName: [String: [Int32?]]
  var extra: JSONValue?

  static func make(_ random: inout SeededGenerator, depth: Int) -> RandomUser {
    RandomUser(
      name: text(&random), age: .random(in: .min ... .max, using: &random),
      id: .random(in: .min ... .max, using: &random),
      // Beyond 64 bits, documents keep no integers.
      big: Int128(Int64.random(in: .min ... .max, using: &random)),
      score: number(&random), ratio: Float.random(in: -1e30...1e30, using: &random),
      isActive: random.chance(3) ? nil : random.chance(2),
      tags: (0..<random.below(4)).map { _ in text(&random) },
      friends: depth == 0
        ? [] : (0..<random.below(3)).map { _ in make(&random, depth: depth - 1) },
      byName: Dictionary(
        (0..<random.below(20)).map { _ in
          (
            text(&random),
            (0..<random.below(3)).map { _ in
              random.chance(3) ? nil : .random(in: .min ... .max, using: &random)
            }
          )
        }, uniquingKeysWith: { _, last in last }),
      extra: random.chance(2) ? nil : ["a": [1, .string(text(&random))]])
  }

  private static func number(_ random: inout SeededGenerator) -> Double {
    let number = Double(bitPattern: random.next())
    return number.isFinite ? number : 0
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    // One way to compose each character, or dictionaries would take two texts for one.
    String(
      (0..<random.below(12)).map { _ in
        random.pick(
          ["a", "b", "é", "\"", "\\", "\n", "\0", "😀", "漢", " ", ".", "$"] as [Character])
          ?? "a"
      })
  }
}
