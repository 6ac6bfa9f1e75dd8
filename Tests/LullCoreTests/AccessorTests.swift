import LullCore
import LullSystem
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct AccessorTests {
  struct Model: Sendable, Equatable {
    var name = "ada"
  }

  private func json(_ text: String) throws -> Content {
    .json(try JSONDocument(parsing: Array(text.utf8)))
  }

  /// One entity for each kind of content.
  private func contents() throws -> [String: Content] {
    [
      "text": .text("hello"), "bytes": .bytes(Array("hello".utf8)), "model": .value(Model()),
      "object": try json(#"{"name":"ada","age":36,"gone":null}"#), "array": try json("[1,2.5,[]]"),
      "atom": try json("17"), "string": try json(#""hello""#), "null": try json("null"),
      "value": .value(JSONValue.object([.init("name", "ada")])),
      "foreign": .foreign(ForeignContent(id: 1, typeName: "table")),
    ]
  }

  /// Read as a generic: what only the protocol promises.
  private func text(_ source: some TypedContentAccessors) -> String { source.text }
  private func dict(_ source: some TypedContentAccessors) -> [String: JSONValue] { source.jsonDict }
  private func array(_ source: some TypedContentAccessors) -> [JSONValue] { source.jsonArray }

  // MARK: text, jsonDict, jsonArray

  @Test func `TYP-01 text is text content, and empty for any other`() throws {
    for (kind, content) in try contents() {
      #expect(
        text(Entity(content: content)) == (kind == "text" ? "hello" : ""), "content is \(kind)")
    }
  }

  @Test
  func `TYP-02 jsonDict is an object's members, null among them, and empty for any other content`()
    throws
  {
    for (kind, content) in try contents() {
      let expected: [String: JSONValue] =
        switch kind {
        case "object": ["name": "ada", "age": 36, "gone": .null]
        case "value": ["name": "ada"]
        default: [:]
        }
      #expect(dict(Entity(content: content)) == expected, "content is \(kind)")
    }
  }

  @Test func `TYP-03 jsonArray is an array's elements in order, and empty for any other content`()
    throws
  {
    for (kind, content) in try contents() {
      #expect(
        array(Entity(content: content)) == (kind == "array" ? [1, 2.5, []] : []),
        "content is \(kind)")
    }
  }

  @Test func `JSN-13 of a repeated key jsonDict has the last value`() throws {
    #expect(Entity(content: try json(#"{"a":1,"a":2}"#)).jsonDict == ["a": 2])
  }

  // MARK: typedContent

  @Test func `TYP-04 TYP-06 typedContent is the content if it is of that type, else the default`()
    throws
  {
    let model = Entity(content: .value(Model(name: "grace")))
    #expect(model.typedContent(ifNone: Model()) == Model(name: "grace"))
    #expect(model.typedContent(ifNone: "other") == "other")
    #expect(Entity(content: .text("x")).typedContent(ifNone: Model()) == Model())
    #expect(Entity(content: .bytes([1, 2])).typedContent(ifNone: [UInt8]()) == [1, 2])
    #expect(Entity(content: .text("x")).typedContent(ifNone: [UInt8]()) == [])
  }

  @Test func `TYP-05 without any content typedContent is the default`() {
    withHarness { harness in
      #expect(harness.service.resource("/a").typedContent(ifNone: 5) == 5)
    }
    #expect(RequestError.failure().typedContent(ifNone: "none") == "none")
  }

  @Test func `TYP-07 a default that may be nil may be nil or a value`() {
    let entity = Entity(content: .value(Model(name: "grace")))
    let none: Model? = nil
    let some: String? = "some"
    let noText: String? = nil
    #expect(entity.typedContent(ifNone: none) == Model(name: "grace"))
    #expect(entity.typedContent(ifNone: some) == "some")
    #expect(entity.typedContent(ifNone: noText) == nil)
  }

  @Test func `TYP-08 the default is evaluated only when it is needed`() {
    var evaluations = 0
    func fallback() -> String {
      evaluations += 1
      return "default"
    }
    #expect(Entity(content: .text("x")).typedContent(ifNone: fallback()) == "x")
    #expect(evaluations == 0)
    #expect(Entity(content: .bytes([])).typedContent(ifNone: fallback()) == "default")
    #expect(evaluations == 1)
  }

  @Test
  func `TYP-09 without a default the context names the type, and nil says that it is another`()
    throws
  {
    let entity = Entity(content: .value(Model()))
    let model: Model? = entity.typedContent()
    let text: String? = entity.typedContent()
    #expect(model == Model())
    #expect(text == nil)
  }

  @Test func `TYP-09 JSON reads as the document, a view, plain values and what of Swift's fits`()
    throws
  {
    let content = try json(#"{"a":"x","b":"y"}"#)
    let entity = Entity(content: content)
    guard case .json(let document) = content else { return }
    let same: JSONDocument? = entity.typedContent()
    #expect(same === document)
    #expect(entity.typedContent() == JSONElement?.some(document.root))
    #expect(entity.typedContent() == JSONValue?.some(["a": "x", "b": "y"]))
    #expect(entity.typedContent() == [String: JSONValue]?.some(["a": "x", "b": "y"]))
    #expect(entity.typedContent() == [String: String]?.some(["a": "x", "b": "y"]))
    #expect(entity.typedContent() == [String: Int]?.none)
    #expect(entity.typedContent() == [JSONValue]?.none)
    #expect(Entity(content: try json("[1,2]")).typedContent() == [Int]?.some([1, 2]))
    #expect(Entity(content: try json("[1,2]")).typedContent() == [JSONValue]?.some([1, 2]))
    #expect(Entity(content: try json("[1,2]")).typedContent() == [String: JSONValue]?.none)
    #expect(
      Entity(content: try json(#"[[1],[2,3]]"#)).typedContent() == [[Int]]?.some([[1], [2, 3]]))
    #expect(Entity(content: try json("17")).typedContent() == 17)
    #expect(Entity(content: try json("17")).typedContent() == 17.0)
    #expect(Entity(content: try json("1.5")).typedContent() == 1.5)
    #expect(Entity(content: try json("1.5")).typedContent() == Int?.none)
    #expect(Entity(content: try json("true")).typedContent() == true)
    #expect(Entity(content: try json(#""x""#)).typedContent() == "x")
    #expect(Entity(content: try json("null")).typedContent() == JSONValue?.some(.null))
  }

  @Test func `a part of a document that a transformer made the content reads like a document`()
    throws
  {
    let document = try JSONDocument(parsing: Array(#"{"data":{"n":1},"list":["x"]}"#.utf8))
    let part = try #require(document.root["data"])
    let list = try #require(document.root["list"])
    #expect(Entity(content: Content(part)).jsonDict == ["n": 1])
    #expect(Entity(content: Content(list)).jsonArray == ["x"])
    #expect(Entity(content: Content(list)).typedContent() == [String]?.some(["x"]))
  }

  // MARK: Where they are

  @Test func `TYP-10 resources read their data, entities their content, errors their entity`()
    throws
  {
    try withHarness { harness in
      let resource = harness.service.resource("/a")
      #expect(text(resource) == "" && dict(resource) == [:] && array(resource) == [])
      harness.stub("GET", "/a", .json(#"{"a":1}"#))
      resource.load()
      harness.settle()
      #expect(dict(resource) == ["a": 1])
      let entity = try #require(resource.latestData)
      #expect(dict(entity) == ["a": 1])
    }
    var error = RequestError.failure()
    #expect(text(error) == "")
    error.entity = .text("sorry")
    #expect(text(error) == "sorry")
  }

  @Test func `JSN-06 the JSON body of an error is its jsonDict`() throws {
    try withHarness { harness in
      harness.stub("GET", "/a", .json(#"{"reason":"full"}"#, status: 500))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      let error = try #require(resource.latestError)
      #expect(error.jsonDict == ["reason": "full"])
      #expect(resource.jsonDict == [:])
    }
  }

  // MARK: Entities

  @Test func `ENT-14 retyping keeps the metadata and casts the content, or gives nil`() throws {
    var entity = Entity(
      content: try json(#"{"a":1}"#), contentType: "application/json",
      headers: Headers([("ETag", "\"1\"")]), timestamp: 5)
    entity.charset = "utf-8"
    let retyped = try #require(entity.withContentRetyped(as: [String: Int].self))
    #expect(retyped.typedContent() == [String: Int]?.some(["a": 1]))
    #expect(retyped.headers == entity.headers)
    #expect(retyped.timestamp == 5)
    #expect(retyped.charset == "utf-8")
    #expect(entity.withContentRetyped(as: String.self) == nil)
    let document = try #require(entity.withContentRetyped(as: JSONDocument.self))
    #expect(document.content.typeName == "json")
  }

  @Test
  func
    `ENT-11 ENT-12 an entity made without a timestamp is of now, its content type the one given`()
  {
    let before = SystemClock.now
    let entity = Entity(
      content: .text("x"), contentType: "a/b", headers: Headers([("Content-Type", "c/d")]))
    #expect((before...SystemClock.now).contains(entity.timestamp))
    #expect(entity.contentType == "a/b")
    let error = RequestError(userMessage: "No")
    #expect((before...SystemClock.now).contains(error.timestamp))
  }

  @Test func `Content made of a value is the kind of content that value is`() throws {
    #expect(Content("x").typeName == "text")
    #expect(Content([UInt8(1)]).typeName == "data")
    #expect(Content(try JSONDocument(parsing: [0x31])).typeName == "json")
    #expect(Content(ForeignContent(id: 1, typeName: "table")).typeName == "table")
    #expect(Content(Content.text("x")).typeName == "text")
    #expect(Content(Model()).typeName == "Model")
  }
}
