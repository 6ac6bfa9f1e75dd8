import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Content that the program knows by itself, by what it is.
@Suite(.timeLimit(.minutes(20)))
struct LocalContentTests {
  private struct User: Codable, Equatable, Sendable {
    var id: Int
    var name: String
  }

  private struct Unwritable: Encodable, Sendable {
    var share = Double.nan
  }

  /// What Siesta's guide does after a PATCH that returns nothing.
  private static func rename(_ resource: Resource, to newName: String) {
    let update = resource.request(.patch, json: ["name": .string(newName)])
    update.onSuccess { _ in
      guard resource.latestData != nil else {
        resource.load()
        return
      }
      var updatedContent = resource.jsonDict
      updatedContent["name"] = .string(newName)
      resource.overrideLocalContent(with: updatedContent)
    }
  }

  @Test func `OVR-160 the partial update of Siesta's guide`() {
    withHarness { harness in
      harness.stub("PATCH", "/users/1", .init(status: 204, body: nil))
      let resource = harness.loaded("/users/1", .json(#"{"id": 1, "name": "Ann"}"#))
      let recorder = resource.recorded()
      Self.rename(resource, to: "Bea")
      harness.settle()
      #expect(resource.jsonDict["name"] == "Bea" && resource.jsonDict["id"] == 1)
      #expect(recorder.take() == ["newData(localOverride) D"])
      #expect((try? resource.decoded(User.self)) == User(id: 1, name: "Bea"))
    }
  }

  @Test func `OVR-160 local content is JSON, text, bytes or a value of the program's`() throws {
    try withHarness { harness in
      let resource = harness.loaded("/a", .json("1"))
      resource.overrideLocalContent(with: JSONValue.array([1, "x"]))
      #expect(resource.jsonArray == [1, "x"])
      resource.overrideLocalContent(with: resource.jsonArray + [.null])
      #expect(resource.jsonArray == [1, "x", .null])
      resource.overrideLocalContent(with: ["b": [1, 2], "a": ["c": true]])
      guard case .json(let document)? = resource.latestData?.content else {
        Issue.record("no JSON")
        return
      }
      #expect("\(document)" == #"{"a":{"c":true},"b":[1,2]}"#)
      resource.overrideLocalContent(with: [1, 2])
      #expect(resource.jsonArray == [1, 2])
      resource.overrideLocalContent(with: "mine")
      #expect(resource.text == "mine")
      let bytes: [UInt8] = [1, 2]
      resource.overrideLocalContent(with: bytes)
      let found: [UInt8]? = resource.typedContent()
      #expect(found == bytes)
      try resource.overrideLocalContent(with: User(id: 2, name: "Cy"))
      #expect(resource.jsonDict["name"] == "Cy")
      #expect(try resource.decoded(User.self) == User(id: 2, name: "Cy"))
      // Whatever a generic function knows of the type, it is the same content.
      func override(_ value: some Encodable & Sendable) throws {
        try resource.overrideLocalContent(with: value)
      }
      try override("text")
      #expect(resource.text == "text")
      try override(bytes)
      #expect(resource.typedContent() == bytes)
      try override(JSONValue.string("json"))
      #expect(resource.typedContent() == "json" && resource.text.isEmpty)
    }
  }

  @Test func `OVR-160 a value takes the place of one that a transformer has made`() throws {
    try withHarness { harness in
      harness.service.configureTransformer("/users/*", as: User.self)
      let resource = harness.loaded("/users/1", .json(#"{"id": 1, "name": "Ann"}"#))
      var user: User? = resource.typedContent()
      #expect(user?.name == "Ann")
      user?.name = "Bea"
      try resource.overrideLocalContent(with: try #require(user))
      user = resource.typedContent()
      #expect(user?.name == "Bea")
      #expect(resource.jsonDict.isEmpty, "no JSON has taken its place")
    }
  }

  @Test func `OVR-161 what JSON cannot say is refused, or stays a value`() throws {
    withHarness { harness in
      let resource = harness.loaded("/a", .json("1"))
      let recorder = resource.recorded()
      do throws(RequestError) {
        try resource.overrideLocalContent(with: Unwritable())
        Issue.record("not refused")
      } catch {
        #expect(error.cause?.kind == "invalid_json_object" && error.description.contains("share"))
      }
      #expect(recorder.take() == [] && resource.typedContent() == 1)
      resource.overrideLocalContent(with: ["share": .double(.nan), "id": 1])
      #expect(resource.jsonDict["id"] == 1 && resource.jsonDict["share"]?.double?.isNaN == true)
    }
  }
}
