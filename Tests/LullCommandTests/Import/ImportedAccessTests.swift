import LullTesting
import Testing

@Suite("Who asks in files made of requests", .timeLimit(.minutes(20)))
struct ImportedAccessTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/.keep", "")
  }

  /// The header of a call of the file `x` that says who asks; empty: none does.
  private func access(_ call: String, _ words: String...) throws -> String {
    let environment = ["TOKEN": "t", "X_USER": "admin", "X_PASSWORD": "pw", "X_KEY": "k"]
    let ending = try Child(
      Binaries.lull, ["call", "x", call, "--dry-run"] + words, environment: environment,
      folder: folder.path
    ).wait()
    #expect(ending.code == 0, "\(ending)")
    return ending.output.split(separator: "\n").filter { $0.hasPrefix("authorization: ") }
      .joined(separator: "\n")
  }

  private func curl(_ lines: String...) throws -> (ending: Child.Ending, text: String) {
    try folder.importing(["curl", lines.joined(separator: "\n")], as: "x")
  }

  @Test
  func `IMX-09 each call is let in as its own command line is, also beside patterns of others`()
    throws
  {
    let (ending, text) = try curl(
      "curl https://t.example/users/17 -u admin:pw",
      "curl https://t.example/users/me -H 'Authorization: Bearer $TOKEN'",
      "curl https://t.example/things -H 'Authorization: Bearer $TOKEN'",
      "curl https://t.example/login -d user=ann",
      "curl 'https://t.example/things?page=2' -u admin:pw")
    #expect(
      ending.output
        == "apis/x.lua: 4 calls (users_by_id, users_me, things, post_login), 1 left out\n")
    #expect(
      ending.errors.contains(
        "left out: GET /things: the request has other credentials than 'things' for the same path: import it into another file"
      ), "\(ending)")
    #expect(try access("users_by_id").contains("Basic "), "\(text)")
    for call in ["users_me", "things"] { #expect(try access(call).contains("Bearer ")) }
    #expect(try access("post_login") == "")
  }

  @Test
  func `IMX-09 a command line that is added is let in by what it says, and takes no other along`()
    throws
  {
    _ = try curl("curl https://t.example/things -H 'Authorization: Bearer $TOKEN'")
    let open = try curl("curl https://t.example/health")
    #expect(open.ending.errors.contains("without credentials, as in the command: health\n"))
    #expect(try access("health") == "" && access("things").contains("Bearer "))
    _ = try curl("curl https://t.example/health")
    let text = try #require(folder.text("apis/x.lua"))
    #expect(text == open.text, "the same once more is nothing new")
    _ = try curl("curl https://t.example/users/me -H 'Authorization: Bearer $TOKEN'")
    let before = try #require(folder.text("apis/x.lua"))
    let covering = try curl("curl https://t.example/users/17 -u admin:pw")
    #expect(
      covering.ending.errors
        == "lull: the credentials would also be sent by 'users_me', whose path /users/* covers: name another file with -o\n"
    )
    #expect(covering.ending.code == 3 && folder.text("apis/x.lua") == before)
    // The other way round its own entry stands behind.
    _ = try shell("rm apis/x.lua*", folder: folder.path)
    _ = try curl("curl https://t.example/users/17 -u admin:pw", "curl https://t.example/a -d x=1")
    _ = try curl("curl https://t.example/users/me -H 'Authorization: Bearer $TOKEN'")
    #expect(try access("users_me").contains("Bearer ") && access("users_by_id").contains("Basic "))
  }

  @Test func `IMX-09 what a document has open or closed is so for what is added`() throws {
    try folder.write(
      "shop.yaml",
      """
      openapi: 3.1.0
      info: {title: Shop, version: "1"}
      servers: [{url: "https://t.example/v1"}]
      security: [{k: []}]
      components: {securitySchemes: {k: {type: http, scheme: bearer}}}
      paths: {/things: {get: {operationId: things, responses: {}}}}
      """)
    #expect(
      try lull("import", "openapi", "shop.yaml", "-o", "apis/x.lua", folder: folder.path).code == 0)
    _ = try curl("curl https://t.example/v1/health")
    #expect(try access("health") == "")
    _ = try curl("curl https://t.example/v1/orders -u admin:pw")
    #expect(try access("orders").contains("Basic "))
  }

  @Test func `IMX-09 the last command line of a path counts, whatever there was before`() throws {
    let closed = "curl https://t.example/b -H 'Authorization: Bearer $TOKEN'"
    _ = try curl("curl https://t.example/a -H 'Authorization: Bearer $TOKEN'")
    for _ in 0..<2 {
      _ = try curl("curl https://t.example/b")
      #expect(try access("b") == "")
      _ = try curl(closed)
      #expect(try access("b").contains("Bearer "))
    }
    // What a function sets nobody can read here.
    try folder.write(
      "apis/x.lua",
      (folder.text("apis/x.lua") ?? "").replacing(
        "api:configure{ auth = lull.auth.bearer(lull.secret{ env = \"TOKEN\" }) }",
        with:
          "api:configure(function(c) c.auth = lull.auth.bearer(lull.secret{ env = \"TOKEN\" }) end)"
      ))
    _ = try curl("curl https://t.example/pub")
    #expect(try access("pub") == "" && access("a").contains("Bearer "))
  }

  @Test func `IMX-09 what is left out for its credentials can be had by --only`() throws {
    try folder.write(
      "p.json",
      """
      {"info":{"name":"P","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
       "auth":{"type":"bearer","bearer":[{"key":"token","value":"{{TOKEN}}"}]},
       "item":[{"name":"user","request":{"method":"GET","url":"https://t.example/users/:id"}},
        {"name":"open","request":{"method":"GET","url":"https://t.example/users/:id","auth":{"type":"noauth"}}}]}
      """)
    #expect(
      try folder.importing(["postman", "p.json"], as: "y").ending.output.contains("1 left out"))
    let (ending, text) = try folder.importing(["postman", "p.json", "--only", "open"], as: "x")
    #expect(ending.output == "apis/x.lua: 1 call (open)\n", "\(ending)")
    #expect(!text.contains("auth"), "\(text)")
  }

  @Test func `IMX-11 a key in the place of a user has no password`() throws {
    let server = try EchoServer()
    defer { server.stop() }
    let base = "http://127.0.0.1:\(server.port)"
    let (_, text) = try curl("curl \(base)/charges -u sk_test_4eC39Hq: -d amount=2000")
    #expect(
      text.contains("auth = lull.auth.basic(lull.secret{ env = \"X_KEY\" }, \"\")"), "\(text)")
    let call = try lull(
      "call", "x", "post_charges", environment: ["X_KEY": "sk"], folder: folder.path)
    #expect(call.code == 0, "\(call)")
    #expect(server.requests.last?.head.contains("uthorization: Basic c2s6\r\n") == true)
    let line = try lull("export", "x", "--curl", folder: folder.path)
    #expect(line.output.contains("--user \"$X_KEY:\""), "\(line)")
    let document = try lull("export", "x", "--openapi", folder: folder.path)
    #expect(document.output.contains("\"scheme\": \"basic\""))
  }

  @Test
  func
    `IMX-34 requests of Postman's that nobody asks by have no access, whose path another covers`()
    throws
  {
    try folder.write(
      "p.json",
      """
      {"info":{"name":"P","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
       "auth":{"type":"bearer","bearer":[{"key":"token","value":"{{TOKEN}}"}]},
       "item":[
        {"name":"one","request":{"method":"GET","url":"https://t.example/users/:id","auth":{"type":"noauth"}}},
        {"name":"me","request":{"method":"GET","url":"https://t.example/users/me"}},
        {"name":"all","request":{"method":"GET","url":"https://t.example/users"}}]}
      """)
    let (_, text) = try folder.importing(["postman", "p.json"], as: "x")
    #expect(try access("one", "--id", "1") == "", "\(text)")
    for call in ["me", "all"] { #expect(try access(call).contains("Bearer "), "\(call)\n\(text)") }
  }
}
