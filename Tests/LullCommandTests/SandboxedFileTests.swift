import Testing

/// What reaches beyond the network, in the sandbox.
@Suite(.timeLimit(.minutes(10)))
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
