import LullHost
import Testing

@testable import LullREPL

@Suite("Completion", .timeLimit(.minutes(20)))
struct CompleterTests {
  private static let service = """
    api = lull.service{ base_url = 'https://api.test/v1', networking = lull.testing.stub{
      ['GET /users/7'] = {
        headers = { ['content-type'] = 'application/json' },
        body = '{"id": 7, "name": "Ann", "address": {"city": "Bonn", "zip": "5"}}' } } }
    """

  private func candidates(_ text: String, _ lines: String..., statement: String = "") throws
    -> [String]
  {
    var found: [String] = []
    try withSession(
      Self.service, "user, users, keep = api('/users/7'), api('/users'), api('/users/12/photo')",
      "config = setmetatable({ alpha = 1 }, { __index = { beta = print } })",
      "trap = setmetatable({}, { __index = function() touched = true end })"
    ) { session in
      session.numberResults()
      for line in lines { session.evaluate(line) }
      found = Completer(session: session).completion(of: text, statement: statement).candidates
      #expect(session.evaluate("touched") == .values(["nil"]))
    }
    return found
  }

  @Test func `PRM-150 a table of settings is completed with settings only`() throws {
    let found = try candidates("api:configure{ ")
    #expect(found.contains("expiration_time") && found.contains("headers"))
    #expect(!found.contains("load") && !found.contains("url") && !found.contains("api"))
    #expect(try candidates("api:configure('/a', { expi") == ["expiration_time"])
  }

  @Test(arguments: [
    ("conf", ["config"]), ("print(us", ["user", "users"]), ("string.for", ["format"]),
    ("config.", ["alpha", "beta"]), ("config:", ["beta"]), ("local x = whi", ["while"]),
    ("trap.", []), ("missing.", []), ("('x'):rep", ["rep"]), ("x = 5", []), ("hel", ["help"]),
  ])
  func `names and fields of tables`(text: String, expected: [String]) throws {
    #expect(try candidates(text) == expected)
  }

  @Test(arguments: [
    ("shop.calls.", ["add", "order"]), ("shop.calls.or", ["order"]), ("shop.ca", ["calls"]),
    ("shop.calls:", []), ("shop.service.base", ["base_url"]),
    ("shop.calls.order{ ", ["id", "view"]),
    ("shop.calls.order({ i", ["id"]), ("shop.calls.order:resource{ vi", ["view"]),
    ("shop.calls['order']{ vi", ["view"]), ("shop.calls.order{ view = 's", ["short"]),
    ("shop.calls['o", ["order"]), ("shop.calls.order.met", ["method"]),
    ("shop.calls['r", ["repos/get"]), ("shop.calls.rep", []), ("shop.calls['repos/get']{ ", ["id"]),
    ("shop.calls['i", []),
  ])
  func `PRM-14 PAR-12 calls of an API file`(text: String, expected: [String]) throws {
    let load = """
      path = os.tmpname()
      lull.write_file(path .. '.lua', [[return { service = require('lull').service('https://a.test'),
        calls = { order = { path = '/orders/{id}', params = { view = { 'short', 'long' } } }, add = { path = '/orders', method = 'POST' },
          ['repos/get'] = { path = '/r/{id}', params = { ['a-b'] = 'string' } }, ["it's"] = { path = '/' } } }]])
      shop = lull.api(path .. '.lua')
      os.remove(path) os.remove(path .. '.lua')
      """
    #expect(try candidates(text, load).sorted() == expected)
  }

  @Test(arguments: [
    ("user.latest_", ["latest_data", "latest_error"]), ("user:load_u", ["load_using"]),
    ("user:load():on_s", ["on_success"]), ("api:resource('/x'):chi", ["child"]),
    ("api('/x').is_up", ["is_up_to_date"]), ("user.latest_data.content_", ["content_type"]),
    ("user.service:conf", ["configuration_for", "configure"]),
    ("lull.service('http://x'):conf", ["configuration_for", "configure"]),
    ("lull.sl", ["sleep"]), ("lull.json.enc", ["encode"]), ("lull.spawn(f):aw", ["await"]),
    ("for _, r in ipairs{} do user:load_u", ["load_using"]),
  ])
  func `members of objects`(text: String, expected: [String]) throws {
    #expect(try candidates(text) == expected)
  }

  @Test func `SVC-120 methods of a service's own`() throws {
    let made = "shop = lull.service{ functions = { profile = print, product = print } }"
    #expect(try candidates("shop:pro", made).sorted() == ["product", "profile"])
    #expect(try candidates("shop.pro", made) == [])
  }

  @Test(arguments: [
    ("user.content.na", ["name"]), ("user.content.address.ci", ["city"]),
    ("user.json_dict.na", ["name"]), ("user.latest_data.content.na", ["name"]),
    ("user.document.na", ["name"]), ("user.document.address.", ["city", "zip"]),
    ("user.service.base", ["base_url"]), ("user.content.name:up", ["upper"]),
    ("user.text:up", ["upper"]), ("users.text:up", ["upper"]), ("users.content.na", []),
    ("entity.content.na", ["name"]), ("word:up", ["upper"]), ("box.user.content.na", ["name"]),
    ("user.nothing.", []),
  ])
  func `what properties hold`(text: String, expected: [String]) throws {
    let found = try candidates(
      text, "entity = user:load():await()", "word = 'text'", "box = { user = user }")
    #expect(found == expected)
  }

  /// A cache is asked when data is first read, and not for completion.
  @Test func `reads nothing that is not there`() throws {
    try withSession(
      Self.service,
      "local cache = { key = tostring, read = function() asked = true end, write = print, remove = print }",
      "api:configure{ pipeline = { model = { cache = cache } } } r = api('/x')"
    ) { session in
      let completer = Completer(session: session)
      #expect(completer.completion(of: "r.content.na", statement: "").candidates == [])
      #expect(
        completer.completion(of: "r.latest_data.content_", statement: "").candidates
          == ["content_type"])
      #expect(session.evaluate("lull.sleep(1) return asked") == .values(["nil"]))
      session.evaluate("local data = r.latest_data lull.sleep(1)")
      #expect(session.evaluate("asked") == .values(["true"]))
    }
  }

  @Test(arguments: [
    ("c[1].na", ["name"]), ("c[2].", ["only"]), ("c[3].", []), ("c[i].na", ["name"]),
    ("c[#c].na", ["name"]), ("c[1].deep[1].", ["end_"]), ("c['x'].na", []),
    ("t['two w", ["two words"]),
    ("t.inner['a", ["a-b"]), ("list.document[1].", ["id"]), ("list.content[1].i", ["id"]),
    ("Out[1].na", ["name"]), ("c[1].name:up", ["upper"]), ("c[1]['na", ["name"]), ("c[1e9].", []),
    ("missing[1].", []), ("list.service[1].", []),
  ])
  func `PRM-15 what stands at an index`(text: String, expected: [String]) throws {
    let found = try candidates(
      text, "c = { { name = 'a', deep = { { end_ = 1 } } }, { only = 2 } }",
      "t = { ['two words'] = 1, inner = { ['a-b'] = 2 } }",
      "stub = lull.testing.stub{ ['GET /list'] = { json = { { id = 1 } } } }",
      "list = lull.service{ base_url = 'https://b.test', networking = stub }('/list')",
      "list:load():await() return nil", "c[1]")
    #expect(found == expected)
  }

  @Test(arguments: [
    ("user:get{ headers = { [\"Content-Ty", ["Content-Type"]),
    ("user:get{ headers = { ['if-n", ["if-none-match"]),
    ("api:configure{ headers = { Acc", ["Accept"]),
    ("api:configure{ headers = { Accept = 'x', [\"user", ["user-agent"]),
    ("user.latest_data.headers['eta", ["etag"]), ("user.latest_data:header('retr", ["retry-after"]),
    ("x = { headers = { ['con", []),
  ])
  func `PRM-16 names of headers`(text: String, expected: [String]) throws {
    #expect(try candidates(text) == expected)
  }

  @Test func `PRM-16 closes what it completes`() throws {
    try withSession(Self.service) { session in
      let completion = Completer(session: session).completion(
        of: "api:configure{ headers = { [\"user-a", statement: "")
      #expect(completion.insertion == "gent\"]")
    }
  }

  @Test(arguments: [
    ("api:configure{ expi", ["expiration_time"]),
    ("api:configure('/x', { retry_time = 1, expi", ["expiration_time"]),
    ("api:configure{ pipeline = { or", ["order"]),
    ("lull.service{ base", ["base_url"]), ("lull.service{ expi", ["expiration_time"]),
    ("lull.map(list, fn, { conc", ["concurrency"]),
    ("api:transform('/x', fn, { sta", ["stage"]),
    ("user:post{ js", ["json"]), ("user:get(nil, { head", ["headers"]),
    ("plain{ us", ["user", "users"]),
  ])
  func `keys of options`(text: String, expected: [String]) throws {
    #expect(try candidates(text) == expected)
  }

  @Test(arguments: [
    ("api:resource(\"/users/", ["/users/12/photo", "/users/7"]), ("api('/users/7", ["/users/7"]),
    ("api:resource \"/users/1", ["/users/12/photo"]), ("users:child('", ["12/photo", "7"]),
    ("print('/us", []), ("api:resource_at('/us", []),
  ])
  func `resources in memory`(text: String, expected: [String]) throws {
    #expect(try candidates(text) == expected)
  }

  @Test(arguments: [
    ("users:query{ js", ["json"]), ("users:query({ for", ["form"]),
    (
      "users:query{ ",
      ["content_type", "data", "encoding", "form", "headers", "json", "method", "text"]
    ),
    ("users:query{ json = {}, method = 'P", ["POST"]),
    ("users:query{ method = '", ["POST", "QUERY"]),
    ("users:query{ headers = { ['accept-e", ["accept-encoding"]), ("api('/x'):query{ te", ["text"]),
    ("search.meth", ["method"]), ("search.bod", ["body"]), ("search.content_", ["content_type"]),
    ("users:query{ json = {} }.bod", ["body"]),
    ("users:query{ json = {} }:load_i", ["load_if_needed"]),
    ("users:quer", ["query"]), ("search:load_i", ["load_if_needed"]),
    ("entity.equiv", ["equivalent"]),
    ("shop.calls.", ["find", "search"]), ("shop.calls.find{ te", ["term"]),
    ("shop.calls.find:resource{ te", ["term"]), ("shop.calls.search:resource{}.met", ["method"]),
    ("api:configure{ query_m", ["query_method"]),
    ("api:configure{ query_method = '", ["POST", "QUERY"]),
    ("api('/sea", ["/search"]),
  ])
  func `QUERY-59 queries and calls that read with a body`(text: String, expected: [String]) throws {
    let load = """
      search = api('/search'):query{ json = { term = 'tea' } } other = api('/search'):query{ text = 'x' }
      path = os.tmpname()
      lull.write_file(path .. '.lua', [[return { service = require('lull').service('https://a.test'), calls = {
        find = { path = '/find', method = 'QUERY', params = { term = 'string' } },
        search = { path = '/search', method = 'POST', safe = true, params = { term = 'string' } } } }]])
      shop = lull.api(path .. '.lua')
      os.remove(path) os.remove(path .. '.lua')
      """
    #expect(
      try candidates(text, load, "entity = user:load():await()").sorted() == expected, "\(text)")
  }

  @Test func `modules that are loaded or known`() throws {
    #expect(try candidates("require \"corou") == ["coroutine"])
    #expect(try candidates("require('mine.", "package.preload['mine'] = 1") == [])
  }

  @Test func `lines before count`() throws {
    #expect(try candidates("expi", statement: "api:configure{\n") == ["expiration_time"])
    #expect(try candidates("insi", statement: "local function f(inside)\n") == ["inside"])
  }

  @Test func `names of commands`() throws {
    #expect(try candidates(".re") == [".record", ".reload", ".resources"])
    #expect(try candidates(".re", statement: "x\n") == [])
  }

  @Test func `inserts what all have in common`() {
    #expect(
      Completer.completion(of: "lo", among: ["load_if", "load_using", "print"])
        == Completion(insertion: "ad_", candidates: ["load_if", "load_using"]))
    #expect(
      Completer.completion(of: "/u", among: ["/users"], closing: "\"")
        == Completion(insertion: "sers\"", candidates: ["/users"]))
    #expect(Completer.completion(of: "x", among: ["y"]) == Completion())
  }
}
