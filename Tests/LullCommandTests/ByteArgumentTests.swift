import Testing

/// Words of the command line and files that are no UTF-8. (BYT-12)
@Suite("Words that are no UTF-8", .timeLimit(.minutes(20)))
struct ByteArgumentTests {
  @Test(arguments: [
    "get \"https://a.example/caf$b\"", "post https://a.example \"a=caf$b\"",
    "get https://a.example -H \"X-Word: caf$b\"", "get https://a.example -O \"caf$b\"",
    "check \"caf$b\"", "cache info --file \"caf$b\"", "explain \"caf$b\" x",
  ])
  func `are wrong usage of what sends them`(words: String) throws {
    let ended = try shell("b=$(printf '\\351'); '\(Binaries.lull)' \(words)")
    #expect(ended.errors.contains("caf\\xE9' is not valid UTF-8"))
    #expect(ended.output == "")
    #expect(ended.code == 2)
  }

  @Test func `a file that is no text is no text`() throws {
    let folder = try TemporaryFolder()
    let ended = try shell(
      "printf 'caf\\351' > word; '\(Binaries.lull)' post https://a.example a=@word",
      folder: folder.path)
    #expect(ended.errors.contains("'word' is not text in UTF-8"))
    #expect(ended.code == 2)
  }

  @Test func `are a script's own`() throws {
    let folder = try TemporaryFolder()
    let ended = try shell(
      """
      b=$(printf '\\351'); printf 'print(#arg[1], arg[1]:byte(-1))' > "caf$b.lua"
      '\(Binaries.lull)' "caf$b.lua" "caf$b"
      """, folder: folder.path)
    #expect(ended.errors == "")
    #expect(ended.output == "4\t233\n")
  }

  @Test func `are no secret and say so`() throws {
    let code = """
      local lull = require "lull"
      local api = lull.service { base_url = "http://127.0.0.1:1" }
      api:configure { auth = lull.auth.bearer(lull.secret { env = "KEY" }) }
      print(select(2, api("/"):load():await()).cause.message)
      """
    let ended = try shell(
      "b=$(printf '\\351'); KEY=\"caf$b\" '\(Binaries.lull)' -e \"$CODE\"",
      environment: ["CODE": code])
    #expect(ended.output.contains("the environment variable KEY is not UTF-8"))
  }
}
