import Testing

/// What reaches beyond the network, in the sandbox.
@Suite(.timeLimit(.minutes(20)))
struct SandboxedFileTests {
  @Test func `files and the environment are not available`() throws {
    let ending = try lull(
      "--sandbox", "-e",
      """
      print(select(2, pcall(lull.read_file, "x")))
      print(select(2, pcall(lull.write_file, "x", "")))
      print(select(2, pcall(lull.env, "HOME", "x")))
      """)
    #expect(
      ending.output == """
        lull.read_file is not available in the sandbox
        lull.write_file is not available in the sandbox
        lull.env is not available in the sandbox

        """)
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `BODY-14 no file can be sent, by whatever way a body is given`() throws {
    let ending = try lull(
      "--sandbox", "-e",
      """
      local lull = require "lull"
      local sent = {}
      local api = lull.service{ base_url = "http://a.test", networking = function(http)
        sent[#sent + 1] = http.body
        return { status = 200, body = "" }
      end }
      local resource = api("/a")
      print(select(2, pcall(function() resource:post(lull.file("/etc/passwd")) end)))
      print(select(2, pcall(function() resource:put(lull.multipart{ a = lull.file("/etc/passwd") }) end)))
      print(select(2, pcall(lull.multipart, { { "a", lull.null } })))
      local _, err = resource:post(nil, function(http) http.body = lull.file("/etc/passwd") end):await()
      print(err.cause.message)
      assert(resource:post(lull.multipart{ path = "/etc/passwd" }):await())
      print(#sent, sent[1]:find("/etc/passwd", 1, true) ~= nil, sent[1]:find("root", 1, true))
      """)
    let lines = ending.output.split(separator: "\n")
    #expect(lines.count == 5, "\(ending)")
    for index in [0, 1, 3] where index < lines.count {
      #expect(lines[index].contains("lull.file is not available in the sandbox"), "\(lines[index])")
    }
    #expect(lines.last == "1\ttrue\tnil")
  }

  @Test func `settings that name files are not available`() throws {
    let ending = try lull(
      "--sandbox", "-e",
      """
      for _, name in ipairs{ "ca_file", "client_cert", "client_key", "cookies" } do
        print(select(2, pcall(lull.service, { [name] = "x" })))
      end
      print(pcall(lull.service, { cookies = true, ca_file = false, redirects = 1 }))
      """)
    #expect(
      ending.output.split(separator: "\n").prefix(4) == [
        "a file of the network settings is not available in the sandbox",
        "a file of the network settings is not available in the sandbox",
        "a file of the network settings is not available in the sandbox",
        "a file of cookies is not available in the sandbox",
      ])
    #expect(ending.output.split(separator: "\n").last?.hasPrefix("true") == true)
    #expect(ending.code == 0)
  }

  @Test func `arguments are`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "tool.lua", "local lull = require 'lull' print(lull.args{ 'name' }.name)")
    #expect(try lull("--sandbox", file, "Ann").output == "Ann\n")
    let refused = try lull("--sandbox", file)
    #expect(refused.errors == "tool.lua: the argument 'name' is missing\nTry 'tool.lua --help'.\n")
    #expect(refused.code == 2)
  }
}
