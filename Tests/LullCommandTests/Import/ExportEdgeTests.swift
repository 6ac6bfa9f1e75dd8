import LullCore
import Testing

/// What is exported in an environment, and of what is no text.
@Suite("lull export at the edges", .timeLimit(.minutes(20)))
struct ExportEdgeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func export(_ words: String..., environment: String) throws -> Child.Ending {
    try Child(
      Binaries.lull, ["export"] + words, environment: ["LULL_ENV": environment],
      folder: folder.path
    ).wait()
  }

  @Test(arguments: ["--openapi", "--curl"])
  func `EXT-07 without a name LULL_ENV chooses the environment`(form: String) throws {
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require"lull".service("https://shop.example"), calls = { a = { path = "/a" } },
        environments = { test = { base_url = "https://test.example" } } }
      """)
    try folder.write(
      "apis/plain.lua",
      "return { service = require'lull'.service('https://shop.example'), calls = { a = { path = '/a' } } }"
    )
    let named = try export("shop@test", form, environment: "")
    #expect(named.code == 0 && named.output.contains("https://test.example"), "\(named)")
    #expect(!named.output.contains("https://shop.example"))
    #expect(try export("shop", form, environment: "test").output == named.output)
    #expect(try export("shop@test", form, environment: "other").output == named.output)
    let plain = try export("shop", form, environment: "")
    #expect(plain.output.contains("https://shop.example"))
    #expect(try export("plain", form, environment: "test").code == 0)
    let missing = try export("shop", form, environment: "other")
    #expect(
      missing.errors
        == "lull: 'shop' has no environment 'other', which LULL_ENV names; it has test\n")
    #expect(missing.code == 3)
  }

  @Test func `EXT-03 credentials in paths and defaults stay behind, and no text is shown as one`()
    throws
  {
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require"lull".service("https://shop.example"), calls = {
        a = { path = "/a?api_key=hunter2hunter2&x=1", params = { token = { type = "string", default = "hunter3hunter3" },
          page = { type = "string", default = "hunters" } } },
        b = { path = "/b/{secret}", params = { secret = { type = "string", default = "hunter4hunter4" } } },
        c = { path = "/c", params = { q = { type = "string", default = "‹secret AWS_SECRET_ACCESS_KEY›" } } } } }
      """)
    let ending = try export("shop", "--openapi", environment: "")
    #expect(ending.code == 0 && !ending.output.contains("hunter2"), "\(ending)")
    #expect(!ending.output.contains("hunter3") && !ending.output.contains("hunter4"), "\(ending)")
    #expect(ending.output.contains("hunters"))
    let document = try JSONDocument(parsing: Array(ending.output.utf8)).root
    #expect(document[pointer: "/components/securitySchemes/key/name"]?.string == "api_key")
    #expect(
      ending.errors
        == "lull: left out: a default of a parameter of calls 'a', 'b': it may be a credential written in the file\n"
    )
    let path = try export("shop", "--curl", "--only", "b", environment: "")
    #expect(path.output.contains("https://shop.example/b/$secret"), "\(path)")
    let lines = try export("shop", "--curl", "--only", "c", environment: "")
    #expect(lines.code == 3 && !lines.output.contains("AWS"), "\(lines)")
    #expect(
      lines.errors.contains(
        "call 'c': the call has a text that looks like the placeholder of a secret"),
      "\(lines)")
  }

  @Test func `EXT-04 what is no text is left out with its reason`() throws {
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require"lull".service("https://shop.example"), calls = {
        a = { path = "/a?x=%FF" }, b = { path = "/b?%FF=1" }, c = { path = "/c?x=%C3%A4+b", mock = nil,
          examples = { { status = 200, headers = { ["Content-Type"] = "image/png" }, text = "\\xFF\\x00" } } } } }
      """)
    let ending = try export("shop", "--openapi", environment: "")
    #expect(ending.code == 0, "\(ending)")
    #expect(
      ending.errors == """
        lull: left out: call 'a': its query has 'x=%FF', with escapes that are not UTF-8
        lull: left out: call 'b': its query has '%FF=1', with escapes that are not UTF-8
        lull: left out: an example of call 'c': it is not text

        """)
    #expect(ending.output.contains("\"ä b\"") && !ending.output.contains("\u{FFFD}"), "\(ending)")
    let lines = try export("shop", "--curl", environment: "")
    #expect(lines.output.contains("https://shop.example/a?x=%FF"), "\(lines)")
  }
}
