import LullClients
import LullCore
import LullHost
import Testing

/// Commands whose work may never need Lua.
@Suite("A late start of Lua", .timeLimit(.minutes(20)))
struct LateStartTests {
  @Test func `CMD-161 a request of a URL needs no Lua, which starts at its first use`() throws {
    let program = try #require(
      ScriptProgram(
        environment: QuietEnvironment(), library: .withClients, startsLua: false))
    var made: [UInt8] = []
    var isHeld = false
    var failure: (any Error)?
    let code = program.perform(folder: nil, words: [Array("lull".utf8)]) { host in
      do {
        let api = try host.part(APIFiles.self).api(atURL: "http://a.example")
        var request = CallRequest(resource: api.service.resource("/x"), method: .get)
        request.headers.append(("x-tag", "a"))
        let response = request.start(ifNeeded: false).flatMap { host.loop.finish($0) }
        #expect(response?.error != nil)
        host.loop.runUntilIdle()
        host.loop.collect()
        #expect(!host.bridge.isStarted)
        #expect(!host.loop.isInterrupted)
        let content = Content.json(try JSONDocument(parsing: Array(#"{"a":[1,2]}"#.utf8)))
        made = try ContentFilter(host, FilterText("x.a")).json(of: content, service: api.service)
        #expect(host.bridge.isStarted)
        // Its userdata is held, so that what it remembers stays.
        host.loop.collect()
        isHeld = api.service.hostHandle != 0
      } catch {
        failure = error
      }
      return 7
    }
    if let failure { throw failure }
    #expect(String(decoding: made, as: UTF8.self) == "[1,2]")
    #expect(isHeld)
    #expect(code == 7)
  }

  @Test func `a program that never starts Lua ends as others do`() throws {
    let program = try #require(
      ScriptProgram(
        environment: QuietEnvironment(), library: .withClients, startsLua: false))
    let code = program.perform(folder: nil, words: [Array("lull".utf8)]) { host in
      host.loop.exit(3)
      return 0
    }
    #expect(code == 3)
  }
}
