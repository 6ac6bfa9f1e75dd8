-- Requests with bodies, against the sample API's /echo (REQ, MUT).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains = spec.contains

local function echo(...)
  local entity = assert(spec.demo()("/echo"):request(...):await())
  return entity.content
end

local function failure(body)
  local service, sent = spec.fake(spec.json "1")
  local request = service("/a"):post(body)
  equal(request.state, "completed")
  local is_inside = true
  request:on_success(spec.never())
  request:on_failure(spec.expect(function() equal(is_inside, false) end))
  is_inside = false
  local _, err = request:await()
  equal(#sent, 0, "nothing is sent")
  equal(err.user_message, "Cannot send request")
  equal(err.http_status, nil)
  equal(#service("/a").all_requests, 0, "REQ-25")
  return err
end

describe("request", function()
  it("REQ-01 REQ-02 starts at once, with the upper-case method", function()
    local service, sent = spec.fake(spec.json "1")
    local resource = service("/a")
    for _, name in ipairs { "options", "get", "head", "post", "put", "patch", "delete" } do
      local request = resource[name](resource)
      equal(request.state, "in_progress")
      equal(request.method, name:upper())
      request:await()
      equal(sent[#sent].method, name:upper())
    end
  end)

  it("DYN-01 takes any method in any letter case, but only an HTTP token", function()
    equal(echo("post").method, "POST")
    local service, sent = spec.fake(spec.json "1")
    service("/a"):request("Purge"):await()
    equal(sent[1].method, "PURGE")
    spec.raises("'request'", function() service("/a"):request("no token") end)
    spec.raises("'request'", function() service("/a"):request("") end)
  end)

  it("REQ-05 sends configured headers", function()
    local service = spec.demo { headers = { ["X-Foo"] = "bar" } }
    equal(service("/echo"):get():await().content.headers["x-foo"], "bar")
  end)

  it("sends no Content-Type without a body", function()
    local seen = echo("GET")
    equal(seen.headers["content-type"], nil)
    equal(seen.body, "")
  end)

  it("sends a Content-Length of 0 with a POST without a body", function()
    equal(echo("POST").headers["content-length"], "0")
  end)
end)

describe("a body of data", function()
  it("REQ-06 is sent as it is", function()
    local seen = echo("POST", { data = "a=b", content_type = "x/y" })
    equal(seen.body, "a=b")
    equal(seen.headers["content-type"], "x/y")
  end)

  it("REQ-06 may hold any bytes", function()
    local service, sent = spec.fake(spec.json "1")
    service("/a"):post({ data = "\0\255\n", content_type = "x/y" }):await()
    equal(sent[1].body, "\0\255\n")
  end)
end)

describe("a body of text", function()
  it("REQ-07 is UTF-8", function()
    local seen = echo("POST", { text = "Très bien!" })
    equal(seen.body, "Très bien!")
    equal(seen.headers["content-type"], "text/plain; charset=utf-8")
  end)

  it("REQ-08 has the charset and type that are asked for", function()
    local service, sent = spec.fake(spec.json "1")
    service("/a"):post({ text = "é", encoding = "ISO-8859-1", content_type = "text/foo" }):await()
    equal(sent[1].body, "\233")
    equal(sent[1].headers["content-type"], "text/foo; charset=iso-8859-1")
  end)

  it("REQ-09 fails when the charset cannot say it", function()
    local err = failure { text = "日本", encoding = "ISO-8859-1" }
    equal(err.cause.kind, "unencodable_text")
    equal(err.cause.text, "日本")
    equal(err.cause.encoding:lower(), "iso-8859-1")
  end)

  it("REQ-09 fails when it is no UTF-8", function()
    equal(failure({ text = "\255" }).cause.kind, "unencodable_text")
  end)

  it("refuses an encoding nobody knows, one way or the other", function()
    local service = spec.fake(spec.json "1")
    local ok, request = pcall(function() return service("/a"):post { text = "x", encoding = "nope" } end)
    if ok then
      local _, err = request:await()
      check(err)
      contains(err.cause.kind, "text")
    else
      contains(request, "nope")
    end
  end)
end)

describe("a body of JSON", function()
  it("REQ-10 is compact", function()
    local seen = echo("PUT", { json = { 2, "be" } })
    equal(seen.body, '[2,"be"]')
    equal(seen.headers["content-type"], "application/json")
  end)

  it("REQ-11 takes another content type", function()
    equal(echo("PUT", { json = {}, content_type = "application/x+json" }).headers["content-type"],
      "application/x+json")
  end)

  it("REQ-12 takes any value; an empty table is an object unless it is an array", function()
    equal(echo("POST", { json = 17 }).body, "17")
    equal(echo("POST", { json = "é" }).body, '"é"')
    equal(echo("POST", { json = false }).body, "false")
    equal(echo("POST", { json = lull.null }).body, "null")
    equal(echo("POST", { json = {} }).body, "{}")
    equal(echo("POST", { json = lull.array {} }).body, "[]")
    equal(echo("POST", { json = { a = lull.null } }).body, '{"a":null}')
    equal(echo("POST", { json = { n = math.maxinteger } }).body, '{"n":9223372036854775807}')
  end)

  it("sends content that came as JSON back as it came", function()
    local resource = spec.fake(spec.json '{"empty":[],"null":null,"big":9007199254740993}')("/a")
    local content = resource:load():await().content
    same(echo("POST", { json = content }).json, content)
    contains(echo("POST", { json = content }).body, '"empty":[]')
  end)

  it("REQ-13 DYN-02 fails for what JSON cannot hold, naming where it is", function()
    local cycle = {}
    cycle.list = { cycle }
    for path, value in pairs {
      ["f"] = { f = print }, ["nan"] = { nan = 0 / 0 }, ["inf"] = { inf = 1 / 0 },
      ["bytes"] = { bytes = "\255" }, ["list"] = cycle, ["deep"] = { deep = { { x = print } } },
      ["co"] = { co = coroutine.create(print) },
    } do
      local err = failure { json = value }
      equal(err.cause.kind, "invalid_json_object")
      contains(err.cause.message, path)
    end
  end)

  it("DYN-02 fails for keys that are neither names nor a list's", function()
    equal(failure({ json = { [1.5] = 1 } }).cause.kind, "invalid_json_object")
    equal(failure({ json = { [true] = 1 } }).cause.kind, "invalid_json_object")
  end)
end)

describe("a form", function()
  it("REQ-15 REQ-18 is sorted", function()
    local seen = echo("PATCH", { form = { foo = "bar", how = "now", brown = "cow" } })
    equal(seen.body, "brown=cow&foo=bar&how=now")
    equal(seen.headers["content-type"], "application/x-www-form-urlencoded")
  end)

  it("REQ-16 REQ-17 escapes", function()
    equal(echo("POST", { form = { ["a b"] = "é=&" } }).body, "a%20b=%C3%A9%3D%26")
    equal(echo("POST", { form = { a = "-._~/?" } }).body, "a=-._~/?")
    equal(echo("POST", { form = { a = ":#[]@!$&'()*+,;=" } }).body,
      "a=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D")
  end)

  it("REQ-18 sorts by the escaped text", function()
    equal(echo("POST", { form = { a = "1", ["a b"] = "2", a1 = "3" } }).body, "a%20b=2&a1=3&a=1")
  end)

  it("REQ-19 fails for what is no UTF-8", function()
    local err = failure { form = { a = "\255" } }
    equal(err.cause.kind, "not_url_encodable")
    equal(failure({ form = { ["\255"] = "a" } }).cause.kind, "not_url_encodable")
  end)

  it("REQ-20 is empty without parameters", function()
    equal(echo("POST", { form = {} }).body, "")
  end)

  it("takes numbers", function()
    equal(echo("POST", { form = { a = 7, b = 1.5 } }).body, "a=7&b=1.5")
  end)
end)

describe("a body", function()
  it("is one of four, and unknown keys have a suggestion", function()
    local resource = spec.fake({})("/a")
    spec.raises("'jsn'", function() resource:post { jsn = 1 } end)
    spec.raises("did you mean 'json'?", function() resource:post { jsn = 1 } end)
    spec.raises("'post'", function() resource:post("text") end)
    spec.raises("json", function() resource:post { json = 1, text = "x" } end)
    spec.raises("string", function() resource:post { text = {} } end)
    spec.raises("table", function() resource:post { form = 1 } end)
  end)
end)

describe("the Content-Type", function()
  it("REQ-21 of a helper replaces a configured header", function()
    local service, sent = spec.fake(spec.json "1", { headers = { ["Content-Type"] = "x/configured" } })
    service("/a"):post({ json = 1 }):await()
    equal(sent[1].headers["content-type"], "application/json")
    service("/a"):post():await()
    equal(sent[2].headers["content-type"], "x/configured")
  end)

  it("REQ-22 REQ-23 REQ-24 is decided by configured mutation > ad hoc > helper > header", function()
    local service, sent = spec.fake(spec.json "1", { headers = { ["Content-Type"] = "x/configured" } })
    local function ad_hoc(http) http.headers["content-type"] = "x/adhoc" end
    service("/a"):post({ json = 1 }, ad_hoc):await()
    equal(sent[1].headers["content-type"], "x/adhoc")
    service:configure {
      mutate_requests = function(http) http.headers["Content-Type"] = "x/mutated" end,
    }
    service("/a"):post({ json = 1 }, ad_hoc):await()
    equal(sent[2].headers["content-type"], "x/mutated")
  end)
end)

describe("a mutation", function()
  it("MUT-01 MUT-05 MUT-08 sees configured headers and the helper's body, at once", function()
    local service, sent = spec.fake(spec.json "1", { headers = { ["X-Foo"] = "bar" } })
    local seen = {}
    service:configure { mutate_requests = { function(http)
      seen[#seen + 1] = "1 " .. http.body
      http.body = http.body .. "!"
    end, function(http) seen[#seen + 1] = "2 " .. http.body end } }
    local request = service("/a"):post({ text = "x" }, function(http)
      equal(http.headers["x-foo"], "bar")
      equal(http.method, "POST")
      equal(http.url, "https://api.test/v1/a")
      seen[#seen + 1] = "0 " .. http.body
      http.body = http.body .. "y"
    end)
    same(seen, { "0 x", "1 xy", "2 xy!" })
    request:await()
    equal(sent[1].body, "xy!")
    same(seen, { "0 x", "1 xy", "2 xy!" })
  end)

  it("may be given after nil in the body's place", function()
    local service, sent = spec.fake(spec.json "1")
    service("/a"):request("GET", nil, function(http) http.headers.Accept = "x/y" end):await()
    equal(sent[1].headers.accept, "x/y")
  end)

  it("removes a header with nil and sends several with a list", function()
    local service, sent = spec.fake(spec.json "1", { headers = { ["X-Foo"] = "bar" } })
    service("/a"):get(nil, function(http)
      http.headers["x-foo"] = nil
      http.headers["X-Many"] = { "a", "b" }
    end):await()
    equal(sent[1].headers["x-foo"], nil)
    equal(sent[1].headers["x-many"], "a, b")
  end)

  it("changes the URL", function()
    local service = spec.demo()
    local entity = service("/nothing"):get(nil, function(http)
      http.url = http.url:gsub("/nothing", "/echo")
    end):await()
    equal(entity.content.path, "/echo")
  end)

  it("MUT-04 changes the method, and only the original method's mutations run", function()
    local service, sent = spec.fake(spec.json "1")
    service:configure(nil, { mutate_requests = function(http) http.method = "POST" end },
      { methods = { "GET" } })
    service:configure(nil, { mutate_requests = spec.never() }, { methods = { "POST" } })
    service("/a"):get():await()
    equal(sent[1].method, "POST")
  end)

  it("REP-05 REP-06 REP-07 MUT-07 runs again for a repeated request", function()
    local service, sent = spec.fake(spec.json "1")
    local token = 0
    service:configure("/**", function(config) config.headers["X-Token"] = "t" .. token end)
    service:configure { mutate_requests = function(http) http.headers["X-M"] = "m" .. token end }
    local request = service("/a"):get(nil, function(http) http.headers["X-A"] = "a" .. token end)
    request:await()
    token = 1
    service:invalidate_configuration()
    request:repeated():start():await()
    local seen = {}
    for i, each in ipairs(sent) do
      seen[i] = each.headers["x-token"] .. each.headers["x-m"] .. each.headers["x-a"]
    end
    same(seen, { "t0m0a0", "t1m1a1" })
  end)

  it("an HTTP request is closed after its mutation", function()
    local kept
    spec.fake(spec.json "1")("/a"):get(nil, function(http) kept = http end):await()
    spec.raises("closed", function() kept.method = "POST" end)
  end)
end)

describe("an answer", function()
  it("REQ-04 of 204 or to HEAD is a success with empty content", function()
    local service = spec.demo()
    local entity = assert(service("/nocontent"):get():await())
    equal(entity.content, "")
    equal(entity.http_status, 204)
    entity = assert(service("/users/1"):head():await())
    equal(entity.content, "")
    equal(entity.content_type:match("^[^;]*"), "application/json")
  end)

  it("makes, changes and removes a user of the sample API", function()
    local service = spec.demo()
    service("/reset"):post():await()
    local made = assert(service("/users"):post({ json = { name = "Grace" } }):await())
    equal(made.http_status, 201)
    equal(made.content.name, "Grace")
    local user = service("/users/" .. made.content.id)
    equal(user:patch({ json = { name = "Hopper" } }):await().content.name, "Hopper")
    assert(user:delete():await())
    local _, err = user:load():await()
    equal(err.http_status, 404)
  end)
end)
