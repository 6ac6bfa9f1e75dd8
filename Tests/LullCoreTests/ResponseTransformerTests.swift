import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ResponseTransformerTests {
  @Test func `PIPE-11 stages mean nothing but order: text may be parsed anywhere`() {
    withHarness { harness in
      harness.service.configure { configuration in
        configuration.pipeline.clear()
        configuration.pipeline[.cleanup].add(StandardTransformer.text.make())
      }
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      #expect(resource.text == "x")
    }
  }

  @Test
  func `TRF-01 ERR-13 a full transformer changes content, headers, messages, once a response`() {
    withHarness { harness in
      var calls = 0
      harness.service.configure { configuration in
        configuration.pipeline[.model].add(
          FunctionTransformer(description: "full") { response in
            calls += 1
            switch response.outcome {
            case .success(var entity):
              entity.content = .text("changed")
              entity.headers["X-New"] = "1"
              return .success(entity, isNew: response.isNew)
            case .failure(var error):
              error.userMessage += "!"
              if case .json(let document)? = error.entity?.content,
                let message = document.root["message"]?.string
              {
                error.userMessage = message
              }
              return .failure(error)
            }
          })
      }
      harness.stub("GET", "/a", .text("x"))
      harness.stub("GET", "/b", .init(status: 401, body: nil))
      harness.stub("GET", "/c", .json(#"{"message":"Out of tea"}"#, status: 418))
      let resources = ["/a", "/b", "/c"].map { harness.service.resource($0) }
      for resource in resources { resource.load() }
      harness.settle()
      #expect(calls == 3)
      #expect(resources[0].text == "changed")
      #expect(resources[0].latestData?.headers["x-new"] == "1")
      #expect(resources[1].latestError?.userMessage == "Unauthorized!", "TRF-02")
      #expect(resources[2].latestError?.userMessage == "Out of tea")
    }
  }

  @Test func `ENT-15 ENT-01 what arrives is raw bytes with headers, type, etag and age; a value`() {
    withHarness { harness in
      harness.service.configure { $0.pipeline.clear() }
      harness.stub("GET", "/a", .json("1", etag: "e"))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      let entity = resource.latestData
      #expect(entity?.content.typeName == "data")
      #expect(entity?.contentType == "application/json")
      #expect(entity?.etag == "e")
      #expect(entity?.charset == nil)
      #expect(entity?.timestamp == harness.clock.now)
      var copy = entity
      copy?.headers["etag"] = "changed"
      #expect(resource.latestData?.etag == "e")
    }
  }
}
