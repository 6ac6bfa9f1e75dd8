import LullTesting
import Testing

@Suite("Credentials without a name of their own", .timeLimit(.minutes(20)))
struct ImportedSecretTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/.keep", "")
  }

  @Test(arguments: [
    "curl https://t.example/login -d '{\"user\":\"ann\",\"password\":\"hunter2\"}'",
    "curl https://t.example/soap -H 'Content-Type: text/xml' -d '<login><password>hunter2</password></login>'",
    "curl https://t.example/bothunter2:AAHk3Lw9dQz1xYvB4nR8sT0uPcMfGjEiK2o/send -d chat=12",
    "curl 'https://t.example/weather?q=London&appid=0439d4b804bc8187953eb36d2a8hunter2'",
    "curl 'https://t.example/weather?q=London&appid=439d4b804bc8187953eb36d2a8c26a02' -H 'X-Master: 439d4b804bc8187953eb36d2a8c26a02'",
    "curl 'https://t.example/cb' -d 'https://ann:hunter2@other.example/'",
  ])
  func `IMX-10 what may let somebody in is no default, wherever it stands`(line: String) throws {
    let (ending, text) = try folder.importing(["curl", line], as: "x")
    #expect(ending.code == 0, "\(ending)")
    let kept = folder.text("apis/x.lua.imported") ?? ""
    for place in [text, kept, ending.output, ending.errors] {
      #expect(!place.contains("hunter2") && !place.contains("439d4b8"), "\(place)")
    }
  }

  @Test(arguments: [
    "curl https://t.example/a -H 'If-None-Match: \"33a64df551425fcc55e4d42a148795d9f25f89d4\"'",
    "curl https://t.example/a -H 'X-Request-Id: 4bf92f3577b34da6a3ce929d0e0e4736'",
    "curl 'https://t.example/a?sha=6dcb09b5b57875f334f61aebed695e2e4193db5e'",
    "curl https://t.example/a --json '{\"cursor\":\"6dcb09b5b57875f334f61aebed695e2e\"}'",
  ])
  func `IMX-10 digests and numbers are no keys`(line: String) throws {
    let (ending, text) = try folder.importing(["curl", line], as: "x")
    #expect(ending.code == 0 && ending.errors == "", "\(ending)")
    #expect(!text.contains("secret") && !text.contains("required"), "\(text)")
  }

  @Test func `IMX-10 what is no text in a query and may let somebody in is not called`() throws {
    let (ending, _) = try folder.importing(
      ["curl", "curl 'https://t.example/s?password=hunter2%sure'"], as: "x")
    #expect(ending.code == 3)
    #expect(
      ending.errors
        == "lull: GET /s cannot be imported: the query may have a credential, with escapes that are not UTF-8\n"
    )
    #expect(folder.text("apis/x.lua") == nil)
  }

  @Test func `IMX-12 forms as browsers copy them are parts, and other texts are what they are`()
    throws
  {
    let (ending, text) = try folder.importing(
      [
        "curl",
        #"curl https://t.example/up -H 'content-type: multipart/form-data; boundary=----W1' --data-raw $'------W1\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2\r\n------W1\r\nContent-Disposition: form-data; name="n"\r\nContent-Type: application/json\r\n\r\n7\r\n------W1\r\nContent-Disposition: form-data; name="f"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n\r\n------W1--\r\n'"#,
      ], as: "x")
    #expect(ending.code == 0, "\(ending)")
    for part in [
      #"body = "multipart""#,
      #"password = { type = "string", default = lull.secret{ env = "X_PASSWORD" } }"#,
      "n = { type = \"integer\", default = 7 }", "f = { type = \"file\"",
    ] { #expect(text.contains(part), "\(part)\n\(text)") }
    #expect(
      ending.errors.contains("form part 'n': the type 'application/json' is not imported"))
    // A URL in a query is none of the command's.
    let (other, own) = try folder.importing(
      ["curl", "curl 'api.t.example/cb?next=http://x.example/y'"], as: "y")
    #expect(
      other.code == 0 && own.contains("base_url = \"http://api.t.example\""), "\(other)\(own)")
  }

  @Test func `PAR-20 numbers from Lua have all their digits`() throws {
    let server = try EchoServer()
    defer { server.stop() }
    let base = "http://127.0.0.1:\(server.port)"
    let number = "1029384756102938477"
    _ = try folder.importing(
      [
        "curl",
        "curl '\(base)/v1/channels/\(number)?after=\(number)' --json '{\"nonce\":\(number),\"most\":9223372036854775807}'",
      ], as: "x")
    #expect(try lull("call", "x", "post_channels_by_id", folder: folder.path).code == 0)
    let script = try lull(
      "-e",
      """
      local calls = lull.api("x").calls
      calls.post_channels_by_id{ id = \(number), after = \(number), nonce = \(number) }:await()
      """, folder: folder.path)
    #expect(script.code == 0, "\(script)")
    #expect(server.requests.count == 2)
    for request in server.requests {
      #expect(request.line == "POST /v1/channels/\(number)?after=\(number)", "\(request.line)")
      let body = String(decoding: request.body, as: UTF8.self)
      #expect(
        body.contains("\"nonce\":\(number)") && body.contains("9223372036854775807"), "\(body)")
    }
  }

  @Test func `EXT-11 credentials inside of defaults are not exported`() throws {
    try folder.write(
      "apis/y.lua",
      """
      local lull = require "lull"
      return { service = lull.service("https://a.example"), calls = {
        a = { path = "/a", method = "POST", params = {
          conf = { type = "json", default = { user = "u", password = "hunter2" } },
          o = { type = "object", default = { password = "hunter3" } } } },
        q = { path = "/q", params = { p = { type = "json", default = { token = "hunter4" } } } },
        m = { path = "/m", method = "POST", body = "multipart", params = {
          j = { type = "json", default = { password = "hunter5" } } } },
        c = { path = "/c", params = { api_key = { type = { "hunter6" }, default = "hunter6" },
          pass = { type = "integer", default = 77777 }, ["access_token"] = { type = { "hunter7" }, default = "hunter7" } } },
        f = { path = "/f", method = "POST", body = "raw", content_type = "application/json", params = {
          body = { type = "string", whole = true, default = '{"password":"hunter8"}' } } } } }
      """)
    try folder.write(
      "apis/z.lua",
      """
      local lull = require "lull"
      return { service = lull.service("https://a.example"), calls = { a = { path = "/a", params = {
        key = { type = { "name", "date" }, default = "name" }, session = { type = "integer", default = 3 } } } } }
      """)
    let words = try lull("export", "z", "--openapi", folder: folder.path)
    for part in ["\"date\"", "\"default\": \"name\"", "\"default\": 3"] {
      #expect(words.output.contains(part), "\(words)")
    }
    for kind in ["--openapi", "--curl"] {
      let ending = try lull("export", "y", kind, folder: folder.path)
      #expect(ending.code == 0, "\(ending)")
      for text in [ending.output, ending.errors] {
        #expect(!text.contains("hunter") && !text.contains("77777"), "\(text)")
      }
    }
  }
}
