import Testing

@Suite("API files on the command line", .timeLimit(.minutes(20)))
struct APIFileTests {
  private let sample: SampleAPI
  private let folder: TemporaryFolder

  init() throws {
    sample = try SampleAPI()
    folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local names = require "lib.names"
      local api = lull.service{ base_url = "\(sample.url)", headers = { ["X-Shop"] = names.shop } }
      api:transform("/users/*", function(user) return { shown = user.name } end)
      return {
        service = api,
        description = "A shop",
        calls = {
          users = { path = "/users", params = { per_page = { type = "integer", default = 2,
            description = "How many" } }, columns = { "id", "name" }, pages = true,
            description = "All users" },
          user = { path = "/users/{id}", params = { id = "integer" } },
          add = { path = "/echo", method = "POST", params = { name = "string", gift = "boolean",
            size = { "s", "m" }, data = "json", output = "string",
            weight = { type = "number", option = "--kilos" }, help = "string", offline = "boolean",
            a_b = "string", ["a-b"] = "string" } },
        },
      }
      """)
    try folder.write("apis/lib/names.lua", "return { shop = 'yes' }")
    try folder.write(
      "home/lull/apis/remote.lua", "return require('lull').service('https://a.example')")
    try folder.write("home/lull/apis/shop.lua", "error('the wrong one')")
  }

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(
      Binaries.lull, words, environment: ["XDG_CONFIG_HOME": folder.path + "/home"],
      folder: folder.path
    ).wait()
  }

  @Test func `sends through the whole configuration`() throws {
    #expect(try run("get", "shop", "/users/2").output == #"{"shown":"Alan Turing"}"# + "\n")
    #expect(
      try run("get", "./apis/shop.lua", "/echo", "-f", "x.headers['x-shop']").output
        == "\"yes\"\n")
    #expect(
      try run("get", "shop", "/echo?a=1%2F2", "b==3", "-f", "x.query").output
        == #"{"a":"1/2","b":"3"}"# + "\n")
  }

  @Test func `makes calls`() throws {
    #expect(
      try run("call", "shop", "user", "--id", "2").output == #"{"shown":"Alan Turing"}"# + "\n")
    #expect(
      try run("call", "shop", "users", "-o", "table").output
        == "id  name\n1   Ada Lovelace\n2   Alan Turing\n")
    #expect(
      try run("call", "shop", "users", "--pages", "2", "-f", "map(x, 'id')").output
        == "[1,2,3,4]\n")
    let body = try run(
      "call", "shop", "add", "--name", "A B", "--no-gift", "--size", "m", "--data", "[1]",
      "--param-output", "own", "-f", "x.json", "-o", "lines")
    #expect(
      body.output == #"{"data":[1],"gift":false,"name":"A B","output":"own","size":"m"}"# + "\n",
      "\(body.errors)")
  }

  @Test(arguments: [
    (["call"], "an API and a call are missing"),
    (["call", "shop"], "which call of 'shop'?"),
    (["call", "shop", "usr"], "'shop' has no call 'usr' (did you mean 'user'?)"),
    (["call", "shop", "user"], "'--id'"),
    (["call", "shop", "user", "--id", "x"], "must be a whole number, got 'x'"),
    (["call", "shop", "user", "--idd", "1"], "did you mean '--id'?"),
    (["call", "shop", "add", "--size", "xl"], "must be s or m, got 'xl'"),
    (["call", "shop", "add", "--data", "{"], "must be JSON"),
    (["call", "shop", "user", "--id", "1", "--all"], "'--all'"),
    (["call", "shop", "user", "--id", "1.5"], "'--id' must be a whole number, got '1.5'"),
    (["call", "shop", "add", "--gift", "maybe"], "'--gift' must be true or false, got 'maybe'"),
    (["call", "shop", "add", "--gift=x"], "'--gift' must be true or false, got 'x'"),
    (["call", "shop", "add", "--gift="], "'--gift' must be true or false, got ''"),
    (["call", "shop", "add", "--no-gift=true"], "'--no-gift' takes no value"),
    (
      ["call", "shop", "add", "--kilos", "heavy"],
      "'--kilos' must be a number, got 'heavy'"
    ),
    (
      ["call", "shop", "add", "--kilos", "nan"],
      "'--kilos' must be a number, got 'nan'"
    ),
    (["call", "shop", "add", "--output", "own"], "'--output' must be json, ndjson, table"),
  ])
  func `refuses what the call does not declare`(words: [String], naming: String) throws {
    let ending = try Child(
      Binaries.lull, words, environment: ["XDG_CONFIG_HOME": folder.path + "/home"],
      folder: folder.path
    ).wait()
    #expect(ending.code == 2)
    #expect(ending.output == "")
    #expect(ending.errors.contains(naming), "\(ending.errors)")
  }

  @Test(arguments: [
    (["--gift"], true), (["--no-gift"], false), (["--gift=true"], true), (["--gift=false"], false),
    (["--gift", "true"], true), (["--gift", "false"], false), (["--gift", "no"], false),
    (["--gift=1"], true), (["--no-gift", "--gift"], true), (["--gift", "--no-gift"], false),
  ])
  func `sets what is true or false`(words: [String], value: Bool) throws {
    let ending = try Child(
      Binaries.lull, ["call", "shop", "add"] + words + ["-f", "x.json"],
      environment: ["XDG_CONFIG_HOME": folder.path + "/home"], folder: folder.path
    ).wait()
    #expect(ending.output == "{\"gift\":\(value)}\n", "\(ending.errors)")
  }

  /// A file cannot change what the command's own options mean.
  @Test func `keeps the names of its own options`() throws {
    let ending = try run(
      "call", "shop", "add", "--param-output", "o", "--param-help", "h", "--param-offline",
      "--kilos", "2.5", "--a_b", "1", "--a-b", "2", "-f", "x.json")
    #expect(
      ending.output
        == #"{"a-b":"2","a_b":"1","help":"h","offline":true,"output":"o","weight":2.5}"# + "\n",
      "\(ending.errors)")
    let offline = try run("call", "shop", "add", "--name", "x", "--offline")
    #expect(offline.code == 6)
    let help = try run("call", "shop", "add", "--help")
    #expect(help.code == 0)
    for part in [
      "--param-help HELP", "--[no-]param-offline", "--param-output OUTPUT", "-o, --output FORMAT",
      "--kilos", "--[no-]gift", "--a_b", "--a-b",
    ] {
      #expect(help.output.contains(part), "\(part) is missing: \(help.output)")
    }
    #expect(try run("help", "call").output.contains("--param-NAME"))
  }

  @Test(arguments: [0, 7] as [Int32]) func `ends by exit as a script does`(code: Int32) throws {
    try folder.write("apis/leaving.lua", "os.exit(\(code))")
    let verbs = [
      ["get", "leaving", "/x"], ["call", "leaving", "x"], ["explain", "leaving", "/x"],
      ["get", "shop", "/echo", "-f", "os.exit(\(code))"],
      ["-e", "pcall(lull.api, 'leaving') print('after')"],
    ]
    for words in verbs {
      let ending = try Child(Binaries.lull, words, folder: folder.path).wait()
      #expect(ending.output == "", "\(words)")
      #expect(ending.errors == "", "\(words)")
      #expect(ending.code == code, "\(words)")
    }
    let list = try run("apis")
    #expect(list.output.contains("shop"))
    #expect(list.errors.contains("apis/leaving.lua:1: calls os.exit"))
    #expect(list.code == 1)
  }

  @Test func `ends by exit from what requests run`() throws {
    for setting in ["function() os.exit(3) end", "{ mutate_requests = function() os.exit(3) end }"]
    {
      try folder.write(
        "apis/leaving.lua",
        """
        local api = require('lull').service("\(sample.url)")
        api:configure(\(setting))
        return api
        """)
      for options in [[], ["--dry-run"], ["--curl"]] {
        let ending = try Child(
          Binaries.lull, ["get", "leaving", "/users/2"] + options, folder: folder.path
        ).wait()
        #expect(ending.output == "")
        #expect(ending.errors == "")
        #expect(ending.code == 3)
      }
    }
    try folder.write(
      "apis/leaving.lua",
      """
      local api = require('lull').service("\(sample.url)")
      api:configure(function() os.exit(3) end)
      return api
      """)
    let explained = try run("explain", "leaving", "/users/2")
    #expect(explained.output == "")
    #expect(explained.errors == "")
    #expect(explained.code == 3)
  }

  @Test func `makes help from the file`() throws {
    let calls = try run("call", "shop", "--help")
    #expect(calls.code == 0)
    for part in ["A shop", "users", "All users", "user", "GET /users/{id}", "POST /echo"] {
      #expect(calls.output.contains(part), "\(part) is missing: \(calls.output)")
    }
    let call = try run("call", "shop", "users", "--help")
    for part in ["Usage: lull call shop users", "--per-page N", "How many (default 2)", "--all"] {
      #expect(call.output.contains(part), "\(part) is missing: \(call.output)")
    }
    #expect(try run("call", "--help").output.contains("lull call github"))
  }

  @Test func `lists what has a name`() throws {
    // The first of two of one name is the one that would be found.
    let ending = try run("apis", "-o", "json")
    #expect(
      ending.output
        == #"[{"name":"remote","calls":0,"description":"","path":""# + folder.path + "/"
        + #"home/lull/apis/remote.lua"},{"name":"shop","calls":3,"description":"A shop","#
        + #""path":"apis/shop.lua"}]"#
        + "\n")
    #expect(ending.errors == "")
    #expect(try run("apis").output.hasPrefix("name    calls  description  path\n"))
    try folder.write("apis/broken.lua", "return 17")
    let broken = try run("apis")
    #expect(broken.output.contains("shop"))
    #expect(broken.errors.contains("apis/broken.lua:1: an API file returns a service"))
    #expect(broken.code == 1)
  }

  @Test func `PAR-18 parameters have names of letters of all languages`() throws {
    func file(_ name: String) throws {
      try folder.write(
        "names.lua",
        """
        return { service = require"lull".service("https://a.example"), calls = { a = { path = "/a",
          params = { ["\(name)"] = { type = "string", name = "q" } } } } }
        """)
    }
    for name in ["größe", "gro\u{308}ße", "名前", "é", "a.b-c_1"] {
      try file(name)
      let option = "--" + name.replacing("_", with: "-")
      let ending = try Child(
        Binaries.lull, ["call", "./names.lua", "a", option, "x", "--dry-run"], folder: folder.path
      ).wait()
      #expect(ending.output == "GET https://a.example/a?q=x\n", "\(ending)")
    }
    for name in ["", "-a", "a b", "a\u{2028}", "€", "a/b", "\\xFF", "a\\n"] {
      try file(name)
      let ending = try lull("call", "./names.lua", "a", "--dry-run", folder: folder.path)
      #expect(
        ending.code == 1 && ending.errors.contains("parameter names have letters"), "\(ending)")
    }
  }

  @Test func `tells where a file is wrong`() throws {
    try folder.write("apis/broken.lua", "local lull = require 'lull'\nlocal x = nil\nreturn x.y\n")
    let broken = try run("get", "broken", "/x")
    #expect(broken.code == 1)
    #expect(broken.errors.contains("apis/broken.lua:3: attempt to index a nil value (local 'x')"))
    #expect(broken.errors.contains("3 | return x.y"))
    try folder.write("apis/unclosed.lua", "return {\n")
    let unclosed = try run("get", "unclosed", "/x")
    #expect(unclosed.code == 3)
    #expect(unclosed.errors.contains("apis/unclosed.lua:"))
    try folder.write(
      "apis/typo.lua",
      "return { service = require('lull').service('https://a.example'),\n  cals = {} }\n")
    let typo = try run("get", "typo", "/x")
    #expect(typo.code == 1)
    #expect(typo.errors.contains("apis/typo.lua:2: unknown setting 'cals' (did you mean 'calls'?)"))
    #expect(typo.errors.contains("2 |   cals = {} }"))
    try folder.write(
      "apis/bare.lua",
      "return {\n  calls = { a = { path = '/a', mock = function()\n    return {}\n  end } } }\n")
    let bare = try run("get", "bare", "/x")
    #expect(bare.errors.contains("apis/bare.lua:1: an API file needs a 'service'"), "\(bare)")
    try folder.write(
      "apis/either.lua", "local x\nif x then\n  return 1\nend\ndo\n  return 2\nend\n")
    let either = try run("get", "either", "/x")
    #expect(either.errors.contains("apis/either.lua:6: "), "\(either)")
    let none = try run("get", "shp", "/x")
    #expect(none.code == 3)
    #expect(none.errors.contains("there is no API 'shp' (did you mean 'shop'?)"))
  }

  /// Answered from the cache on disk, whatever its age, or not at all.
  @Test func `asks nobody offline`() throws {
    try folder.write(
      "apis/kept.lua",
      """
      local lull = require "lull"
      return lull.service{ base_url = "\(sample.url)", expiration_time = 0,
        pipeline = { parsing = { cache = lull.cache.file{ path = "\(folder.path)/cache.db" } } } }
      """)
    let loaded = try run("get", "kept", "/users/19")
    #expect(loaded.code == 0, "\(loaded.errors)")
    #expect(try run("patch", "\(sample.url)/users/19", "visits:=4711").code == 0)
    #expect(try run("get", "kept", "/users/19", "--offline").output == loaded.output)
    let other = try run("get", "kept", "/users", "--offline")
    #expect(other.code == 6)
    #expect(other.output == "")
    #expect(other.errors.contains("Offline"))
    #expect(try run("get", "kept", "/users/19").output.contains("4711"))
  }

  @Test func `explains what has been set where`() throws {
    let ending = try run("explain", "shop", "/users/2")
    #expect(ending.code == 0)
    #expect(ending.output.hasPrefix("GET \(sample.url)/users/2\n"))
    #expect(ending.output.contains(/headers\.x-shop +yes +apis\/shop\.lua:3/))
    #expect(ending.output.contains(/pipeline .* apis\/shop\.lua:4/))
    #expect(ending.output.contains("load: there is neither data nor error"))
  }

  /// What a call declares goes for all of its pages, and stays as it is written.
  @Test func `sends what a call declares with every page`() throws {
    func page(_ link: String...) -> [[UInt8]] {
      [
        HeldServer.head(
          "200 OK", "Content-Type: application/json", "Content-Length: 3",
          link.first.map { "Link: <\($0)>; rel=next" } ?? "X-Last: yes"), Array("[1]".utf8),
      ]
    }
    let server = try HeldServer([page("/list?tag=a&tag=b&q=c+d&page=2"), page()])
    defer { server.stop() }
    let file = try folder.write(
      "pages.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "\(server.url)" }
      return { service = api, calls = { list = { path = "/list?tag=a&tag=b&q=c+d", pages = true,
        params = { tag = "string", page = "integer" }, headers = { ["X-Call"] = "yes" } } } }
      """)
    let ending = try run("call", file, "list", "--page", "1", "--all")
    #expect(ending.output == "[1,1]\n", "\(ending.errors)")
    #expect(
      server.requests.map { String($0.prefix { $0 != "\r\n" }) } == [
        "GET /list?tag=a&tag=b&q=c+d&page=1 HTTP/1.1",
        "GET /list?tag=a&tag=b&q=c+d&page=2 HTTP/1.1",
      ])
    #expect(server.requests.allSatisfy { $0.contains("x-call: yes\r\n") })
    let one = try run("call", file, "list", "--tag", "x", "--dry-run")
    #expect(one.output.hasPrefix("GET \(server.url)/list?tag=x&q=c+d\n"), "\(one.output)")
  }
}
