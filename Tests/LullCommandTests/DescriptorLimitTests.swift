import Testing

/// The number of files and sockets a process may have open, against many requests at once.
@Suite("Descriptors", .timeLimit(.minutes(20)))
struct DescriptorLimitTests {
  /// Runs the code under that limit, as `ulimit` sets it.
  private func run(_ limit: String, _ code: String) throws -> Child.Ending {
    try shell("ulimit \(limit) && exec lull - <<'END'\n\(code)\nEND")
  }

  @Test func `the first request raises the soft limit to the hard one`() throws {
    let ending = try run(
      "-Sn 60",
      """
      local lull = require "lull"
      -- Fails, since nobody listens; the server started after it has the raised limit too.
      lull.service("http://127.0.0.1:1")("/"):load():await()
      local api = lull.service{ base_url = lull.demo(), connections_per_host = 200 }
      local requests = {}
      for i = 1, 200 do
        requests[i] = api("/slow"):with_params { seconds = 0.5, i = i }:load()
      end
      assert(lull.all(requests))
      print("all " .. #requests)
      """)
    #expect(ending.errors == "")
    #expect(ending.output == "all 200\n")
  }

  @Test func `at the hard limit requests fail and say why, and those that go on are not harmed`()
    throws
  {
    let ending = try run(
      "-n 60",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = lull.demo(), connections_per_host = 200 }
      local first = api("/slow"):with_param("seconds", 1):load()
      local told
      local function failed(err)
        if not told then print(err.cause.kind, err.cause.message) end
        told = true
      end
      for i = 1, 200 do
        api("/slow"):with_params { seconds = 20, i = i }:load():on_failure(failed)
      end
      print(first:await() ~= nil)
      os.exit(0)
      """)
    let lines = ending.output.split(separator: "\n")
    #expect(lines.count == 2, "\(ending.errors)")
    #expect(lines.first?.hasPrefix("connection\tcannot connect to 127.0.0.1:") == true)
    #expect(
      lines.first?.hasSuffix("(too many open files: the limit is 60; see ulimit -n)")
        == true)
    #expect(lines.last == "true")
    #expect(ending.code == 0)
  }
}
