import Testing

/// What reaches beyond the network, in the sandbox.
struct SandboxedFileTests {
  @Test func filesAndTheEnvironmentAreNotAvailable() throws {
    let ending = try lull(
      "--sandbox", "-e",
      """
      for _, name in ipairs{ "read_file", "write_file", "env" } do
        print(select(2, pcall(lull[name], "HOME", "x")))
      end
      """)
    let said = ending.output.split(separator: "\n").map { line in
      line.split(separator: " ").suffix(6).joined(separator: " ")
    }
    #expect(
      said
        == ["lull.read_file", "lull.write_file", "lull.env"].map {
          "\($0) is not available in the sandbox"
        })
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func argumentsAre() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "tool.lua", "local lull = require 'lull' print(lull.args{ 'name' }.name)")
    #expect(try lull("--sandbox", file, "Ann").output == "Ann\n")
    let refused = try lull("--sandbox", file)
    #expect(refused.errors == "tool.lua: the argument 'name' is missing\nTry 'tool.lua --help'.\n")
    #expect(refused.code == 2)
  }
}
