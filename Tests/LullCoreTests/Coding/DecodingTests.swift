import LullTestSupport
import Testing

@testable import LullCore

/// Types of the program's, read from documents.
@Suite(.timeLimit(.minutes(20)))
struct DecodingTests {
  static func decode<Value: Decodable>(_ json: String, _ type: Value.Type = Value.self) throws
    -> Value
  {
    try JSONDocument(parsing: Array(json.utf8)).root.decoded(type)
  }

  struct User: Codable, Equatable, Sendable {
    enum Role: String, Codable { case admin, guest }
    struct Address: Codable, Equatable, Sendable {
      var street: String
      var number: Int8?
    }

    var id: UInt64
    var name: String
    var isActive: Bool
    var score: Double
    var ratio: Float
    var role: Role
    var address: Address?
    var tags: [String]
    var counts: [String: Int]
    var codes: [Int: String]
    var extra: JSONValue
    var nothing: String?
  }

  @Test func `COD-01 members of every kind are read, in any order`() throws {
    let user = try Self.decode(
      """
      {"nothing": null, "extra": {"a": [1, null, "x"]}, "codes": {"7": "seven"},
       "counts": {"b": 2, "a": 1}, "tags": ["t", "ü\\n\\u0000"], "role": "admin",
       "address": {"street": "S", "number": -128}, "ratio": 0.1, "score": 1e3,
       "isActive": true, "name": "Ada", "id": 18446744073709551615, "unknown": [{}]}
      """, User.self)
    #expect(
      user
        == User(
          id: .max, name: "Ada", isActive: true, score: 1000, ratio: 0.1, role: .admin,
          address: User.Address(street: "S", number: -128), tags: ["t", "ü\n\0"],
          counts: ["a": 1, "b": 2], codes: [7: "seven"],
          extra: ["a": [1, .null, "x"]], nothing: nil))
  }

  @Test(arguments: ["1", "1.0", "1e0", "100e-2"])
  func `COD-02 a whole number is an integer of any width, however it is written`(json: String)
    throws
  {
    #expect(try Self.decode(json, Int.self) == 1)
    #expect(try Self.decode(json, Int8.self) == 1)
    #expect(try Self.decode(json, Int16.self) == 1)
    #expect(try Self.decode(json, Int32.self) == 1)
    #expect(try Self.decode(json, Int64.self) == 1)
    #expect(try Self.decode(json, UInt.self) == 1)
    #expect(try Self.decode(json, UInt8.self) == 1)
    #expect(try Self.decode(json, UInt16.self) == 1)
    #expect(try Self.decode(json, UInt32.self) == 1)
    #expect(try Self.decode(json, UInt64.self) == 1)
    #expect(try Self.decode("[\(json)]", [Int128].self) == [1])
    #expect(try Self.decode("{\"a\": \(json)}", [String: UInt128].self) == ["a": 1])
    #expect(try Self.decode(json, Double.self) == 1)
    #expect(try Self.decode(json, Float.self) == 1)
  }

  @Test func `COD-02 the ends of each type's range`() throws {
    #expect(try Self.decode("[-128, 127]", [Int8].self) == [.min, .max])
    #expect(try Self.decode("[-9223372036854775808]", [Int64].self) == [.min])
    #expect(try Self.decode("[9223372036854775807]", [Int].self) == [.max])
    #expect(try Self.decode("[18446744073709551615]", [UInt64].self) == [.max])
    #expect(try Self.decode("[-0, -0.0]", [Int].self) == [0, 0])
    #expect(try Self.decode("[-0.0]", [Double].self).map(\.sign) == [.minus])
    #expect(try Self.decode("[5e-324]", [Double].self) == [.leastNonzeroMagnitude])
  }

  // MARK: Errors

  struct Wrong: CustomTestStringConvertible {
    let json: String
    let decode: @Sendable (String) throws -> Void
    let path: String
    let message: String

    init<Value: Decodable & Sendable>(
      _ json: String, _ type: Value.Type, _ path: String, _ message: String
    ) {
      self.json = json
      decode = { _ = try DecodingTests.decode($0, type) }
      self.path = path
      self.message = message
    }

    var testDescription: String { json }
  }

  struct Tree: Codable, Equatable, Sendable {
    var name: String
    var children: [Tree]?
  }

  static let wrong = [
    Wrong("[]", User.self, "", "expected an object, found an array"),
    Wrong("null", User.self, "", "expected an object, found null"),
    Wrong("{}", [Int].self, "", "expected an array, found an object"),
    Wrong("1", String.self, "", "expected a string, found a number"),
    Wrong("\"1\"", Int.self, "", "expected a whole number, found a string"),
    Wrong("1.5", Int.self, "", "expected a whole number, found the number 1.5"),
    Wrong("1", Bool.self, "", "expected true or false, found a number"),
    Wrong("true", Double.self, "", "expected a number, found a boolean"),
    Wrong("{}", Tree.self, "", "the field 'name' is missing"),
    Wrong("[1, 300]", [UInt8].self, "[1]", "300 does not fit UInt8"),
    Wrong("[-1]", [UInt].self, "[0]", "-1 does not fit UInt"),
    Wrong("[1e300]", [Int].self, "[0]", "1e+300 does not fit Int"),
    Wrong("[1e300]", [Float].self, "[0]", "1e+300 does not fit Float"),
    Wrong("[9223372036854775808]", [Int].self, "[0]", "9223372036854775808 does not fit Int"),
    Wrong(
      "[18446744073709551616]", [UInt64].self, "[0]", "1.8446744073709552e+19 does not fit UInt64"),
    Wrong("{\"name\": null}", Tree.self, "name", "expected a string, found null"),
    Wrong(
      "{\"x\": {\"name\": []}, \"name\": \"a\", \"children\": [{\"name\": \"b\"}, {\"name\": 5}]}",
      Tree.self, "children[1].name", "expected a string, found a number"),
    Wrong(
      "{\"name\": \"a\", \"children\": [{\"name\": \"b\", \"children\": [{}]}]}", Tree.self,
      "children[0].children[0]", "the field 'name' is missing"),
    Wrong(
      "{\"a b\": {\"2\": \"\"}}", [String: [Int: Int]].self, "[\"a b\"][\"2\"]",
      "expected a whole number, found a string"),
    Wrong(
      "{\"a\": [[], [null]]}", [String: [[Bool]]].self, "a[1][0]",
      "expected true or false, found null"),
    Wrong(
      "[\"x\", \"admin\"]", [User.Role].self, "[0]",
      "Cannot initialize Role from invalid String value x"),
  ]

  @Test(arguments: wrong)
  func `COD-03 what does not fit is an error that names the coding path`(row: Wrong) throws {
    do {
      try row.decode(row.json)
      Issue.record("it was decoded")
    } catch {
      let cause = RequestError.Cause(decoding: User.self, error)
      guard case .wrongContent(_, let path, let message) = cause else {
        Issue.record("\(cause)")
        return
      }
      #expect(path == row.path)
      #expect(message == row.message)
    }
  }

  @Test func `COD-03 keys of any length and depth are short in an error`() {
    let key = String(repeating: "k\\n", count: 200)
    var json = "\"leaf\""
    for _ in 0..<100 { json = "{\"\(key)\": \(json)}" }
    struct Deep: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PlaceKey.self)
        for key in container.allKeys { _ = try container.decode(Deep.self, forKey: key) }
      }
    }
    do {
      _ = try Self.decode(json, Deep.self)
      Issue.record("it was decoded")
    } catch {
      let message = RequestError.Cause(decoding: Deep.self, error).message
      #expect(message.utf8.count < 5_000 && !message.contains("\n") && message.contains("…"))
    }
  }

  // MARK: Keys

  @Test func `COD-04 of repeated keys the last counts, few or many`() throws {
    for filler in [0, 5, 100, 200] {
      let members = (0..<filler).map { "\"k\($0)\": \($0)" } + ["\"a\": 1"]
      let json = "{\"a\": 0, " + members.joined(separator: ", ") + ", \"b\": 2, \"a\": 3}"
      let values = try Self.decode(json, [String: Int].self)
      #expect(values["a"] == 3 && values["b"] == 2 && values.count == filler + 2)
    }
  }

  @Test func `COD-04 keys are compared byte by byte`() throws {
    struct Named: Decodable {
      let é: Int
    }
    #expect(try Self.decode("{\"\\u00e9\": 1, \"e\\u0301\": 2}", Named.self).é == 1)
    #expect(throws: DecodingError.self) { try Self.decode("{\"e\\u0301\": 2}", Named.self) }
  }

  @Test(arguments: [3, 20, 127, 128, 129, 3_000])
  func `COD-04 members are found in objects of any size, asked for in any order`(count: Int) throws
  {
    var random = SeededGenerator(seed: UInt64(count))
    let names = (0..<count).map { "member\($0)" }
    let json =
      "{" + names.shuffled(using: &random).map { "\"\($0)\": \"\($0)\"" }.joined(separator: ",")
      + "}"
    let asked = names.shuffled(using: &random)
    struct Asked: Decodable {
      var values: [String?]
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PlaceKey.self)
        let names = try #require(decoder.userInfo[Asked.names] as? [String])
        values = try names.map { try container.decodeIfPresent(String.self, forKey: PlaceKey($0)) }
        #expect(!container.contains(PlaceKey("none")))
        #expect(try container.decodeIfPresent(Int.self, forKey: PlaceKey("none")) == nil)
      }
      static let names = CodingUserInfoKey(rawValue: "names").unsafelyUnwrapped
    }
    let found = try JSONDocument(parsing: Array(json.utf8)).root
      .decoded(Asked.self, userInfo: [Asked.names: asked])
    #expect(found.values == asked)
  }

  struct Several: Decodable {
    var a: Int?
    var b: Int?
    var c: Int?
    var inner: [Inner]?
    var z: Int?

    /// Asked for in another order than the outer ones, and deeper.
    struct Inner: Decodable {
      var z: Int?
      var a: Int?
    }
  }

  @Test func `COD-04 objects of like and unlike layouts, one after the other`() throws {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<200 {
      func object(_ names: [String], _ more: String = "") -> String {
        var members = names.filter { _ in !random.chance(4) }
        if random.chance(3) { members.shuffle(using: &random) }
        if random.chance(5), let name = members.first { members.append(name) }
        if random.chance(6) { members += (0..<40).map { "other\($0)" } }
        return "{"
          + (members.map { "\"\($0)\": \(random.below(9))" } + (more.isEmpty ? [] : [more]))
          .joined(separator: ",") + "}"
      }
      let names = ["a", "b", "c", "z"]
      let json =
        "["
        + (0..<12).map { _ in
          let inner = (0..<random.below(3)).map { _ in object(["a", "z"]) }
          return object(names, "\"inner\": [\(inner.joined(separator: ","))]")
        }.joined(separator: ",") + "]"
      let root = try JSONDocument(parsing: Array(json.utf8)).root
      let decoded = try root.decoded([Several].self)
      for (one, element) in zip(decoded, root.elements) {
        #expect([one.a, one.b, one.c, one.z] == names.map { element[$0]?.int }, "\(json)")
        let inner = try #require(element["inner"])
        #expect(one.inner?.map(\.a) == inner.elements.map { $0["a"]?.int }, "\(json)")
        #expect(one.inner?.map(\.z) == inner.elements.map { $0["z"]?.int }, "\(json)")
      }
      #expect(decoded.count == 12)
    }
  }

  // MARK: Containers

  @Test func `COD-05 nested containers, elements one by one, and super`() throws {
    class Base: Decodable {
      let id: Int
      enum Keys: CodingKey { case id }
      required init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .id)
      }
    }
    final class Derived: Base {
      var seen: [String] = []
      enum Keys: CodingKey { case list, inner, parent }
      enum InnerKeys: CodingKey { case x }
      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        try super.init(from: try container.superDecoder(forKey: .parent))
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        seen.append("\(list.count ?? -1) \(list.codingPath.map(\.stringValue))")
        seen.append("\(try list.decode(Int.self)) \(try list.decodeNil()) \(list.currentIndex)")
        // A wrong type leaves it where it is.
        #expect(throws: DecodingError.self) { try list.decode(Int.self) }
        seen.append(try list.decode(String.self))
        #expect(try list.decodeNil())
        let nested = try list.nestedContainer(keyedBy: InnerKeys.self)
        seen.append(
          "\(nested.codingPath.map { $0.intValue ?? -1 }) \(nested.allKeys.map(\.stringValue))")
        seen.append("\(try nested.decode([Int].self, forKey: .x))")
        #expect(list.isAtEnd)
        #expect(throws: DecodingError.self) { try list.decode(Int.self) }
        let inner = try container.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner)
        #expect(try inner.decodeNil(forKey: .x))
        #expect(throws: DecodingError.self) { try container.superDecoder() }
      }
    }
    let derived = try Self.decode(
      """
      {"parent": {"id": 7}, "list": [1, "two", null, {"x": [3], "y": 0}], "inner": {"x": null}}
      """, Derived.self)
    #expect(derived.id == 7)
    #expect(derived.seen == ["4 [\"list\"]", "1 false 1", "two", "[-1, 3] [\"x\"]", "[3]"])
  }

  @Test func `COD-05 values that take turns at one depth keep their places`() throws {
    struct Pair: Decodable, Equatable {
      var sums: [Int] = []
      enum Keys: CodingKey { case a, b }
      init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        let one = try list.nestedContainer(keyedBy: Keys.self)
        let other = try list.nestedContainer(keyedBy: Keys.self)
        for key in [Keys.a, .b] {
          sums.append(try one.decode(Int.self, forKey: key) + other.decode(Int.self, forKey: key))
        }
      }
    }
    let pair = try Self.decode("[{\"b\": 1, \"a\": 2}, {\"a\": 10, \"b\": 20}]", Pair.self)
    #expect(pair.sums == [12, 21])
  }

  @Test func `COD-05 a type may try one form after the other`() throws {
    enum Either: Decodable, Equatable {
      case number(Int)
      case text(String)
      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(Int.self) {
          self = .number(number)
        } else {
          self = .text(try value.decode(String.self))
        }
      }
    }
    let count = 20_000
    let json = "[" + Array(repeating: "\"a\", 1", count: count).joined(separator: ",") + "]"
    let values = try Self.decode(json, [Either].self)
    #expect(values.count == 2 * count)
    #expect(values.prefix(2) == [.text("a"), .number(1)])
  }

  // MARK: Depth

  @Test
  func `COD-06 types that contain themselves are decoded to the depth of JSON, and no deeper`()
    throws
  {
    let levels = 499
    let json =
      String(repeating: "{\"name\":\"n\",\"children\":[", count: levels) + "{\"name\":\"leaf\"}"
      + String(repeating: "]}", count: levels)
    var tree = try Self.decode(json, Tree.self)
    var depth = 0
    while let child = tree.children?.first {
      tree = child
      depth += 1
    }
    #expect(depth == levels && tree.name == "leaf")
    let arrays = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
    struct Nest: Decodable {
      let depth: Int
      init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        depth = list.isAtEnd ? 1 : try list.decode(Nest.self).depth + 1
      }
    }
    #expect(try Self.decode(arrays, Nest.self).depth == 1000)
    #expect(throws: JSONError.self) { try Self.decode("[" + arrays + "]", Nest.self) }
  }

  @Test func `COD-06 a thread with a small stack gives an error, not a crash`() throws {
    let levels = 499
    let json =
      String(repeating: "{\"name\":\"n\",\"children\":[", count: levels) + "{\"name\":\"leaf\"}"
      + String(repeating: "]}", count: levels)
    let document = try JSONDocument(parsing: Array(json.utf8))
    #expect(onSmallStack { (try? document.root.decoded(Tree.self)) == nil })
    let tree = try document.root.decoded(Tree.self)
    #expect(onSmallStack { (try? JSONDocument(encoding: tree)) == nil })
    // What nests less is fine there.
    #expect(
      onSmallStack { (try? Self.decode(#"{"name": "a", "children": []}"#, Tree.self)) != nil })
  }

  @Test func `COD-06 a type that decodes itself without end is an error`() {
    struct Endless: Decodable {
      init(from decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decode(Endless.self)
      }
    }
    #expect(throws: DecodingError.self) { try Self.decode("1", Endless.self) }
  }
}
