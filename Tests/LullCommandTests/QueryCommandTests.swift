import Testing

@Suite("Queries from the shell", .timeLimit(.minutes(20)))
struct QueryCommandTests {
  private let sample: SampleAPI
  private let folder: TemporaryFolder

  init() throws {
    sample = try SampleAPI()
    folder = try TemporaryFolder()
  }

  private func url(_ path: String) -> String { sample.url + path }

  /// Writes an API file of the sample with a cache and calls that search, and returns its path.
  private func file(_ service: String = "") throws -> String {
    try folder.write(
      "articles.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "\(sample.url)" \(service) }
      api:configure{ pipeline = { parsing = {
        cache = lull.cache.file{ path = "\(folder.path)/cache.db" } } } }
      local params = { topic = "string", words = "integer", size = "integer" }
      local pages = { cursor = { field = "next", param = "after" } }
      return { service = api, calls = {
        query = { method = "QUERY", path = "/search", rows = "rows", params = params, pages = pages },
        search = { method = "POST", safe = true, path = "/search", rows = "rows", params = params },
        echo = { method = "POST", safe = true, path = "/echo", params = params },
        write = { method = "POST", path = "/echo", params = params },
      } }
      """)
  }

  @Test(arguments: ["query", "QUERY"])
  func `QUERY-30 items, -d and standard input are the content of a query`(verb: String) throws {
    let items = try lull(
      verb, url("/echo"), "topic=tea", "words:=900", "X-Tag:t", "-f",
      "{ x.method, x.json, x.headers['x-tag'], x.headers['content-type'] }")
    #expect(
      items.output == #"["QUERY",{"topic":"tea","words":900},"t","application/json"]"# + "\n",
      "\(items)")
    let form = try lull(verb, url("/echo"), "--form", "b=2", "a=1", "-f", "{ x.method, x.body }")
    #expect(form.output == #"["QUERY","b=2&a=1"]"# + "\n", "\(form)")
    try folder.write("search.sql", "SELECT 1")
    let data = try lull(
      verb, url("/echo"), "-d", "@search.sql", "-H", "Content-Type: application/sql", "-f",
      "{ x.method, x.body, x.headers['content-type'] }", folder: folder.path)
    #expect(data.output == #"["QUERY","SELECT 1","application/sql"]"# + "\n", "\(data)")
    let piped = try shell("echo '{\"topic\":\"tea\"}' | lull \(verb) \(url("/echo")) -f x.json")
    #expect(piped.output == #"{"topic":"tea"}"# + "\n", "\(piped)")
    let none = try lull(verb, url("/search"))
    #expect(none.code == 2)
    #expect(none.errors.hasPrefix("lull: a query needs a body"), "\(none)")
  }

  @Test func `QUERY-30 pages and other methods`() throws {
    let all = try lull(
      "query", url("/search"), "topic=tea", "size:=20", "--all", "--cursor", "next=after",
      "--rows", "rows", "-f", "#x")
    #expect(all.output == "50\n", "\(all)")
    let post = try lull(
      "query", url("/echo"), "topic=tea", "--query-method", "POST", "-f", "{ x.method, x.json }")
    #expect(post.output == #"["POST",{"topic":"tea"}]"# + "\n", "\(post)")
    let wrong = try lull("query", url("/echo"), "topic=tea", "--query-method", "PUT")
    #expect(wrong.code == 2)
    let curl = try lull("query", url("/search"), "topic=tea", "--curl")
    #expect(curl.output.contains("--request QUERY"), "\(curl)")
    #expect(curl.output.contains(#"{"topic": "tea"}"#) || curl.output.contains("topic"), "\(curl)")
    let multipart = try lull("query", url("/echo"), "--multipart", "a=1", "-f", "x.method")
    #expect(multipart.output == "\"QUERY\"\n", "\(multipart)")
    let pages = try lull("query", url("/search"), "--multipart", "a=1", "--all")
    #expect(
      pages.errors == "lull: --pages and --all cannot be used with a multipart form\n", "\(pages)")
    let redirected = try lull(
      "query", url("/redirect-to?status=307&url=/search"), "topic=tea", "size:=1", "-f", "#x.rows")
    #expect(redirected.output == "1\n", "\(redirected)")
  }

  @Test func `QUERY-30 QUERY-16 calls that read are cached, and each query has its own entry`()
    throws
  {
    let file = try file()
    func run(_ words: String...) throws -> String {
      let ending = try Child(Binaries.lull, ["call", file] + words, input: .nothing).wait()
      #expect(ending.errors == "", "\(words)")
      return ending.output
    }
    let count = "#x.rows"
    for call in ["query", "search"] {
      #expect(try run(call, "--topic", "tea", "--size", "3", "-f", count) == "3\n")
      #expect(try run(call, "--topic", "tea", "--size", "4", "-f", count) == "4\n")
    }
    // The cache answers, even without the server.
    #expect(
      try run("query", "--topic", "tea", "--size", "3", "--offline", "-f", count) == "3\n")
    #expect(
      try run("search", "--size", "4", "--topic", "tea", "--offline", "-f", count) == "4\n")
    let none = try lull("call", file, "query", "--topic", "ale", "--offline")
    #expect(none.code != 0)
    #expect(try run("query", "--topic", "tea", "--size", "20", "--all", "-f", "#x") == "50\n")
    #expect(try run("echo", "--topic", "tea", "-f", "x.method") == "\"POST\"\n")
  }

  @Test func `QUERY-07 ENV-14 a call that is declared safe needs no confirmation`() throws {
    let file = try folder.write(
      "shop.lua",
      """
      local lull = require "lull"
      return {
        service = lull.service{ base_url = "\(sample.url)" },
        environments = { prod = { confirm_writes = true } },
        calls = {
          search = { method = "POST", safe = true, path = "/echo", params = { topic = "string" } },
          write = { method = "POST", path = "/echo", params = { topic = "string" } },
        },
      }
      """)
    let search = try lull("call", file + "@prod", "search", "--topic", "tea", "-f", "x.method")
    #expect(search.output == "\"POST\"\n", "\(search)")
    let query = try lull("query", file + "@prod", "/echo", "topic=tea", "-f", "x.method")
    #expect(query.output == "\"QUERY\"\n", "\(query)")
    let write = try lull("call", file + "@prod", "write", "--topic", "tea")
    #expect(write.code == 2)
    #expect(write.errors.contains("confirm"), "\(write)")
  }

  @Test func `QUERY-07 QUERY-30 query_method of the service, and safe of a call that is no POST`()
    throws
  {
    let ending = try lull(
      "query", try file(#", query_method = "POST""#), "/echo", "topic=tea", "-f", "x.method")
    #expect(ending.output == "\"POST\"\n", "\(ending)")
    let bad = try folder.write(
      "bad.lua",
      """
      local lull = require "lull"
      return { service = lull.service "\(sample.url)", calls = {
        put = { method = "PUT", safe = true, path = "/a" } } }
      """)
    let check = try lull("check", bad)
    #expect(check.code != 0)
    #expect(
      (check.output + check.errors).contains("'safe' declares that a POST only reads"), "\(check)")
  }

  @Test func `QUERY-07 the error of a server without QUERY names the setting`() throws {
    let ending = try lull("query", url("/users"), "name=Ann")
    #expect(ending.code == 4, "\(ending)")
    #expect(ending.errors.contains(#"set query_method to "POST""#), "\(ending)")
    let json = try lull("query", url("/users"), "name=Ann", "--errors", "json")
    #expect(json.errors.contains(#""fix":"if the server accepts the query by POST"#), "\(json)")
  }

  @Test func `QUERY-31 an exported document has queries, and an import reads them again`() throws {
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require "lull".service "https://shop.example", calls = {
        find = { method = "QUERY", path = "/find", params = { term = "string" } },
        search = { method = "POST", safe = true, path = "/search", params = { term = "string" } },
      } }
      """)
    let export = try lull("export", "shop", "--openapi", folder: folder.path)
    #expect(export.code == 0, "\(export.errors)")
    #expect(export.output.contains(#""openapi": "3.2.0""#))
    #expect(export.output.contains(#""query": {"#))
    #expect(export.output.contains(#""x-lull-safe": true"#))
    try folder.write("shop.json", export.output)
    let back = try lull(
      "import", "openapi", "shop.json", "-o", "back.lua", folder: folder.path)
    #expect(back.code == 0, "\(back.errors)")
    let calls = try lull("describe", "./back.lua", "-o", "json", folder: folder.path)
    #expect(calls.output.contains(#""QUERY""#), "\(calls)")
    let text = try shell("cat \(folder.path)/back.lua").output
    #expect(text.contains("safe = true"), "\(text)")
    #expect(text.contains(#"method = "QUERY""#), "\(text)")
  }

  @Test func `QUERY-31 IMP-01 a document of OpenAPI 3.2 may have methods of its own`() throws {
    try folder.write(
      "new.yaml",
      """
      openapi: 3.2.0
      servers: [{url: "https://a.example"}]
      paths:
        /a:
          query:
            operationId: find
            requestBody: {content: {application/json: {schema: {type: object, properties: {term: {type: string}}}}}}
          additionalOperations:
            PURGE: {operationId: purge}
            copy: {operationId: copy}
      """)
    let ending = try lull(
      "import", "openapi", "new.yaml", "-o", "new.lua", folder: folder.path)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors.contains("copy /a"), "\(ending.errors)")
    let text = try shell("cat \(folder.path)/new.lua").output
    #expect(text.contains(#"method = "PURGE""#), "\(text)")
    #expect(text.contains(#"method = "QUERY""#), "\(text)")
    #expect(text.contains("term"), "\(text)")
  }
}
