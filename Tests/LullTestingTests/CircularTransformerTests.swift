import LullCore
import LullTesting
import Testing

/// Transformers that wait for what waits for them.
@Suite(.timeLimit(.minutes(20))) struct CircularTransformerTests {
  private static let words = "would wait for itself"

  @Test func `AWT-12 waiting for one's own load is an error at once`() throws {
    try Lull.test(patience: 1) { test in
      test.network.stub("GET", "https://api.test/a", .text("tea"))
      for way in 0..<5 {
        let api = test.service()
        api.configureTransformer("/a") { [unowned api] (text: String, _) async throws -> String in
          let resource = api.resource("/a")
          guard let load = resource.loadRequests.first else { return "no load" }
          switch way {
          case 0: return try await load.entity().text
          case 1: return try await resource.fresh(String.self)
          case 2: return try await Request.all([load]).map(\.text).joined()
          case 3: for try await entity in resource.watch() { return entity.text }
          default: return try await load.chained { _ in .useThisResponse }.entity().text
          }
          return text
        }
        let response = await api.resource("/a").load().completed()
        let message = response.error?.userMessage ?? ""
        #expect(message.contains(CircularTransformerTests.words), "\(way): \(response)")
        #expect(message.contains("use the content passed to the transformer"), "\(message)")
      }
    }
  }

  @Test func `AWT-12 a transformer that catches it goes on`() throws {
    try Lull.test(patience: 1) { test in
      test.network.stub("GET", "https://api.test/a", .text("tea"))
      let api = test.service()
      api.configureTransformer("/a") { [unowned api] (text: String, _) async throws -> String in
        let load = api.resource("/a").loadIfNeeded()
        let response = await load?.completed()
        return text + (response?.error == nil ? " with tea" : " alone")
      }
      let text = try await api.resource("/a").load().entity().text
      #expect(text == "tea alone")
      let again = try await api.resource("/a").load().entity().text
      #expect(again == "tea alone")
    }
  }

  @Test func `AWT-13 two transformers that wait for each other's requests are told`() throws {
    try Lull.test(patience: 1) { test in
      test.network.stub("GET", "https://api.test/a", .text("tea"))
      test.network.stub("GET", "https://api.test/b", .text("rice"))
      let api = test.service()
      for (own, other) in [("/a", "/b"), ("/b", "/a")] {
        api.configureTransformer(api.resource(own)) {
          [unowned api] (text: String, _) async throws -> String in
          try await text + api.resource(other).fresh(String.self)
        }
      }
      let response = await api.resource("/a").load().completed()
      let message = response.error?.userMessage ?? ""
      #expect(message.contains(CircularTransformerTests.words), "\(response)")
    }
  }

  @Test func `AWT-13 those that wait for a third are left alone`() throws {
    try Lull.test(patience: 1) { test in
      for name in ["a", "b", "c"] {
        test.network.stub("GET", "https://api.test/\(name)", .text(name))
      }
      let api = test.service()
      for own in ["/a", "/b"] {
        api.configureTransformer(api.resource(own)) {
          [unowned api] (text: String, _) async throws -> String in
          try await text + api.resource("/c").fresh(String.self)
        }
      }
      let requests = [api.resource("/a").load(), api.resource("/b").load()]
      let texts = try await Request.all(requests).map(\.text)
      #expect(texts == ["ac", "bc"])
    }
  }

  @Test func `AWT-14 what it spawns may wait for its request`() throws {
    try Lull.test(patience: 1) { test in
      test.network.stub("GET", "https://api.test/a", .text("tea"))
      let api = test.service()
      var lines: [String] = []
      let begin = { (load: Request) in
        _ = test.spawn {
          let text = try await load.entity().text
          lines.append(text)
        }
      }
      api.configureTransformer("/a") { [unowned api] (text: String, _) async throws -> String in
        if let load = api.resource("/a").loadRequests.first { begin(load) }
        return text.uppercased()
      }
      _ = try await api.resource("/a").load().entity()
      await test.settle()
      #expect(lines == ["TEA"])
    }
  }
}
