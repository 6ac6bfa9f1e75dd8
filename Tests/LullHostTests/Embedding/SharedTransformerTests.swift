import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// Transformers of a Swift program that wait, as a script of its runtime meets them.
@Suite(.timeLimit(.minutes(20))) struct SharedTransformerTests {
  @Test func `AWT-02 a script waits for a transformer of Swift, which waits for another resource`()
    throws
  {
    try Embedding.run { lua, stubs in
      let api = stubs.api
      stubs.provider.stub("GET", "https://api.test/author", .text("Ann"))
      api.configureTransformer("/a") { (_: [String: JSONValue], _) async throws -> String in
        let author = try await api.resource("/author").load().entity().text
        // And for the script.
        return try await author + lua.run("lull.sleep(0) return ' and Lua'")
      }
      try lua.set("api", api)
      let text: String = try await lua.run(
        "return assert(api('/a'):load():await()).content", name: "s")
      #expect(text == "Ann and Lua")
      let cancelled: String = try await lua.run(
        """
        local request = api("/a"):load()
        request:on_completion(function() end)
        lull.spawn(function() request:cancel() end)
        local _, err = request:await()
        return err.cause.kind
        """, name: "s")
      #expect(cancelled == "request_cancelled")
    }
  }
}
