import LullClients
import Testing

@testable import LullHost

/// What is loaded from API files stays as long as the host, and no longer.
@Suite(.timeLimit(.minutes(20)))
struct APIFileLifetimeTests {
  @Test func `the host goes with what it has loaded`() throws {
    let harness = try HostHarness()
    let end = harness.run(
      """
      local path = os.tmpname()
      local file = assert(io.open(path, "w"))
      file:write([[
        return { service = lull.service("https://api.test"), calls = { find = { path = "/a" } } }
      ]])
      file:close()
      local api = lull.api(path)
      assert(lull.api(path) == api)
      assert(os.remove(path))
      """)
    #expect(end == .finished(nil))
    // The log, the file's service, and its calls.
    harness.finish(expectingHandles: 3)
  }
}
