-- lull.api: API files, their calls, and resource:explain().
local lull = require "lull"
local spec = ...
local describe, it, equal = spec.describe, spec.it, spec.equal
local contains, raises = spec.contains, spec.raises
local folder = spec.temporary_folder

-- An API file in a folder of its own, gone afterwards.
local function file(text)
  local dir, guard = folder()
  local path = dir .. "/shop.lua"
  assert(lull.write_file(path, text))
  return path, guard
end

local shop = [[
local lull = require "lull"
local api = lull.service{
  base_url = "https://shop.example/v1",
  networking = function(http)
    local number = http.url:match("/orders%?page=(%d)")
    if number then return { json = { number, 2 } } end
    return { json = { method = http.method, url = http.url, body = http.body or lull.null,
        tag = http.headers["x-tag"] or lull.null, type = http.headers["content-type"] or lull.null } }
  end,
}
return {
  service = api,
  description = "A shop",
  calls = {
    order = { path = "/users/{user}/orders/{id}", params = { id = "integer" },
      description = "One order" },
    search = { path = "/search?kind=all", params = {
      q = { type = "string", required = true, description = "What to look for" },
      sort = { "price", "name" }, limit = { type = "integer", default = 5 },
      exact = "boolean", above = "number" } },
    add = { path = "/orders", method = "post", headers = { ["X-Tag"] = "new" },
      params = { name = "string", count = "integer", tags = "json", gift = "boolean" } },
    pay = { path = "/orders/{id}/pay", method = "POST", body = "form",
      params = { id = "integer", amount = "number", note = "string" } },
    drop = { path = "/orders/{id}", method = "DELETE", params = { id = "integer", why = "string" } },
    list = { path = "/orders", pages = { page = { param = "page" }, max = 2 } },
  },
}
]]

describe("lull.api", function()
  it("APIF-150 is called as its service is", function()
    local path, _ <close> = file(shop)
    local api = lull.api(path)
    equal(api("/users/7"), api.service("/users/7"))
    equal(api:resource("users/7"), api("/users/7"))
    equal(api("/users/7"):load():await().content.url, "https://shop.example/v1/users/7")
    raises("bad argument #1", function() api() end)
    raises("bad argument #1", function() api({}) end)
  end)

  it("gives the service, the description and the calls of a file", function()
    local path, _ <close> = file(shop)
    local api = lull.api(path)
    equal(tostring(api), "API(shop, 6 calls)")
    equal(api.name, "shop")
    equal(api.path, path)
    equal(api.description, "A shop")
    equal(api.service.base_url, "https://shop.example/v1/")
    equal(tostring(api.calls), "APICalls(order, search, add, pay, drop, list)")
    equal(tostring(api.calls.add), "APICall(shop.add)")
    equal(api.calls.add.method, "POST")
    equal(api.calls.order.path, "/users/{user}/orders/{id}")
    equal(api.calls.order.description, "One order")
    local names = {}
    for name, call in pairs(api.calls) do
      equal(call.name, name)
      names[#names + 1] = name
    end
    equal(#names, 6)
  end)

  it("tells the parameters of a call", function()
    local path, _ <close> = file(shop)
    local params = lull.api(path).calls.search.params
    equal(#params, 5)
    equal(params[1].name, "q")
    equal(params[1].required, true)
    equal(params[1].description, "What to look for")
    equal(params[2].name, "sort")
    equal(params[2].type, "price or name")
  end)

  it("loads a file once", function()
    local path, _ <close> = file("package.loaded.times = (package.loaded.times or 0) + 1\n" .. shop)
    equal(lull.api(path), lull.api(path))
    equal(package.loaded.times, 1)
    package.loaded.times = nil
  end)

  it("takes a service alone, with no calls", function()
    local path, _ <close> = file('return require("lull").service("https://a.example")')
    local api = lull.api(path)
    equal(api.description, nil)
    equal(tostring(api.calls), "APICalls()")
    raises("it declares none", function() return api.calls.x end)
  end)

  it("gives the file its name", function()
    local path, _ <close> = file(
      'package.loaded.named = ... return require("lull").service("https://a.example")')
    lull.api(path)
    equal(package.loaded.named, "shop")
    package.loaded.named = nil
  end)
end)

describe("A call", function()
  local function declared()
    local path, guard = file(shop)
    return lull.api(path).calls, guard
  end

  it("puts parameters of the path there as one segment each", function()
    local calls, _ <close> = declared()
    local made = assert(calls.order{ user = "a/b ü?", id = 7 }:await()).content
    equal(made.url, "https://shop.example/v1/users/a%2Fb%20%C3%BC%3F/orders/7")
    equal(made.method, "GET")
  end)

  it("puts the others of a GET into the query, behind that of the path", function()
    local calls, _ <close> = declared()
    local url = assert(calls.search{ q = "a&b", sort = "name", exact = false, above = 1.5 }:await())
      .content.url
    contains(url, "kind=all")
    contains(url, "q=a%26b")
    contains(url, "sort=name")
    contains(url, "limit=5")
    contains(url, "exact=false")
    contains(url, "above=1.5")
  end)

  it("puts those of a POST into a JSON body", function()
    local calls, _ <close> = declared()
    local made = assert(calls.add{ name = 'A "b"', count = 2, tags = { "x", {} } }:await()).content
    equal(made.method, "POST")
    equal(made.type, "application/json")
    equal(made.tag, "new")
    local body = lull.json.decode(made.body)
    equal(body.name, 'A "b"')
    equal(body.count, 2)
    equal(body.tags[1], "x")
    equal(body.gift, nil)
  end)

  it("puts them into a form where the file says so", function()
    local calls, _ <close> = declared()
    local made = assert(calls.pay{ id = 3, amount = 2.5, note = "a b" }:await()).content
    equal(made.type, "application/x-www-form-urlencoded")
    equal(made.body, "amount=2.5&note=a%20b")
    equal(made.url, "https://shop.example/v1/orders/3/pay")
  end)

  it("sends no body with DELETE", function()
    local calls, _ <close> = declared()
    local made = assert(calls.drop{ id = 3, why = "old" }:await()).content
    equal(made.url, "https://shop.example/v1/orders/3?why=old")
    equal(made.body, lull.null)
  end)

  it("of a GET is a load of its resource", function()
    local calls, _ <close> = declared()
    local resource = calls.order:resource{ user = "ann", id = 1 }
    equal(resource.url, "https://shop.example/v1/users/ann/orders/1")
    assert(calls.order{ user = "ann", id = 1 }:await())
    equal(resource.is_up_to_date, true)
    equal(resource.content.method, "GET")
  end)

  it("walks through pages as the file says", function()
    local calls, _ <close> = declared()
    local urls = {}
    for _, page in calls.list:pages{} do urls[#urls + 1] = page.url end
    equal(table.concat(urls, " "),
      "https://shop.example/v1/orders?page=1 https://shop.example/v1/orders?page=2")
    raises("declares no 'pages'", function() calls.add:pages{} end)
  end)

  it("raises for parameters that do not fit", function()
    local calls, _ <close> = declared()
    for _, case in ipairs {
      { "order", { user = "a" }, "call 'order' needs the parameter 'id'; it has user, id" },
      { "order", { usr = "a", id = 1 }, "call 'order' has no parameter 'usr' (did you mean 'user'?)" },
      { "order", { user = "a", id = "x" }, "parameter 'id' must be a whole number, got 'x'" },
      { "order", { user = "", id = 1 }, "cannot be ''" },
      { "order", { user = "..", id = 1 }, "cannot be '..'" },
      { "search", { q = "a", sort = "nme" }, "parameter 'sort' must be price or name, got 'nme'" },
      { "search", { q = "a", exact = "yes" }, "parameter 'exact' must be true or false" },
      { "search", { q = {} }, "parameter 'q' must be a string, got table" },
      { "add", { tags = print }, "parameter 'tags' cannot be encoded" },
      { "add", { [1] = "x" }, "parameter names must be strings" },
    } do
      raises(case[3], function() calls[case[1]](case[2]) end)
    end
    raises("'shop' has no call 'ordr' (did you mean 'order'?)", function() return calls.ordr end)
  end)
end)

-- Reads all calls of a file.
local function read(path)
  for _ in pairs(lull.api(path).calls) do end
end

describe("lull.api raises", function()
  local function problem(text)
    local path, _ <close> = file(text)
    local fine, message = pcall(read, path)
    equal(fine, false)
    return (tostring(message):gsub(path:gsub("%p", "%%%0"), "FILE"))
  end
  local head = 'local s = require("lull").service("https://a.example")\n'

  it("for what there is not", function()
    raises("there is no API 'no such api'; looked for", function() lull.api("no such api") end)
    raises("there is no API file './nothing.lua'", function() lull.api("./nothing.lua") end)
    raises("bad argument #1 to 'api' (string expected, got no value)", function() lull.api() end)
  end)

  it("with the line, for what a file declares wrongly", function()
    for _, case in ipairs {
      { "return 17", "FILE:1: an API file returns a service, or { service =, calls =, description = }, not 17" },
      { "\nreturn {}", "FILE:2: an API file needs a 'service'" },
      { "", "FILE:1: an API file returns a service" },
      { head .. "return {\n  service = s,\n  cals = {},\n}",
        "FILE:4: unknown setting 'cals' (did you mean 'calls'?)" },
      { head .. "return { service = s, calls = {\n  a = { path = '/a' },\n  b = {\n    pth = '/b' } } }",
        "FILE:5: call 'b': unknown setting 'pth' (did you mean 'path'?)" },
      { head .. "return { service = s, calls = {\n  a = { params = {} } } }",
        "FILE:3: call 'a' needs a 'path'" },
      { head .. "return { service = s, calls = { a = { path = '/',\n params = {\n x = 'strng' } } } }",
        "FILE:4: call 'a': parameter 'x' has the unknown type 'strng' (did you mean 'string'?)" },
      { head .. "return { service = s, calls = { a = { path = '/', params = {\n x = { kind = 1 } } } } }",
        "FILE:3: call 'a': parameter 'x': unknown setting 'kind'" },
      { head .. "return { service = s, calls = { a = { path = '/{x}', params = { x = 'json' } } } }",
        "FILE:2: call 'a': parameter 'x' cannot be JSON: it is in the path" },
      { head .. "return { service = s, calls = { a = { path = '/',\n body = 'xml' } } }",
        "FILE:3: call 'a': 'body' must be \"json\", \"form\", \"multipart\" or \"raw\", got 'xml'" },
      { head .. "return { service = s, calls = { a = { path = '/', params = { x = { type = 'integer',"
        .. " default = 'b' } } } } }", "parameter 'x' must be a whole number, got 'b'" },
      { head .. "return { service = s, calls = { a = { path = '/', params = {\n x = { required = true,"
        .. " default = 'b' } } } } }", "FILE:3: call 'a': parameter 'x' cannot be required and have a default" },
      { head .. "return { service = s, calls = { a = { path = '/', params = { x = { type = {} } } } } }",
        "parameter 'x' needs a list of at least one word" },
      { head .. "return { service = s, calls = { a = { path = '/', params = { x = { option = 'a b' } } } } }",
        "parameter 'x': 'option' must be a name such as \"--page-size\", got 'a b'" },
    } do
      contains(problem(case[1]), case[2])
    end
  end)

  it("for places of parameters that are broken", function()
    for path, text in pairs{
      ["/x/{"] = "has a '{' that no '}' closes",
      ["/x/{id"] = "has a '{' that no '}' closes",
      ["/x/}"] = "has a '}' that no '{' opens",
      ["/{id}/}"] = "has a '}' that no '{' opens",
      ["/x/{}"] = "has '{}', a parameter without a name",
      ["/x/{a{b}}"] = "has a '{' inside of '{a'",
      ["/x?q={"] = "has a '{' that no '}' closes",
      ["/{a b}"] = "has the parameter 'a b'",
    } do
      contains(problem(head .. "return { service = s, calls = { a = {\n path = '" .. path
        .. "', params = { id = 'integer' } } } }"), "FILE:3: call 'a': its path " .. text)
    end
    local fine, _ <close> = file(head .. "return { service = s, calls = { a = { path = '/%7Bx%7D/{id}?f={id}',"
      .. " params = { id = 'integer' } } } }")
    equal(lull.api(fine).calls.a:resource{ id = 3 }.url, "https://a.example/%7Bx%7D/3?f=3")
    local whole, _ <close> = file(head .. "return { service = s, calls = { a = {"
      .. " path = 'https://a.example/{id}?f={id}', params = { id = 'string' } } } }")
    equal(lull.api(whole).calls.a:resource{ id = "a/b" }.url, "https://a.example/a%2Fb?f=a%2Fb")
  end)

  it("what the file raises, and its line", function()
    contains(problem("\nlocal x = nil\nreturn x.y"), "FILE:3: attempt to index a nil value")
    contains(problem("return {"), "FILE:1: ")
    contains(problem('require("lull").service{ base_url = "https://a.example",\n headrs = {} }'),
      "FILE:1: unknown setting 'headrs' (did you mean 'headers'?)")
  end)

  it("where a file would wait, or asks for itself", function()
    contains(problem('require("lull").sleep(1)'), "cannot wait inside a file of an API")
    local path, _ <close> = file("")
    lull.write_file(path, ('return require("lull").api(%q)'):format(path))
    contains(select(2, pcall(lull.api, path)), path .. ":1: the API file '" .. path .. "' is already being loaded")
  end)
end)

describe("The calls of an API", function()
  local text = [[
local lull = require "lull"
return { service = lull.service("https://a.example"), calls = {
  fine = { path = "/fine" },
  wrong = {
    path = "/wrong",
    params = { x = "strng" },
  },
  keyed = { path = "/keyed", params = { key = { default = lull.secret{ env = "NO_SUCH_VARIABLE" } } } },
  other = { path = "/other", method = "no method", mock = function() end },
} }
]]

  local function problem(api, name)
    return select(2, pcall(function() return api.calls[name] end))
  end

  it("APIF-09 are read when they are used: what is wrong with one is told then, with its line", function()
    local path, _ <close> = file(text)
    local api = lull.api(path)
    equal(tostring(api), "API(shop, 4 calls)")
    equal(tostring(api.calls), "APICalls(fine, wrong, keyed, other)")
    equal(api.calls.fine.path, "/fine")
    equal(api.calls.fine:resource().url, "https://a.example/fine")
    equal(api.calls.keyed.params[1].name, "key")
    for _ = 1, 2 do
      contains(problem(api, "wrong"), path .. ":6: call 'wrong': parameter 'x' has the unknown type 'strng'")
      contains(problem(api, "other"), path .. ":9: call 'other': 'no method' is not an HTTP method")
    end
    raises("'shop' has no call 'fin' (did you mean 'fine'?)", function() return api.calls.fin end)
  end)

  it("APIF-09 are all read by who asks for all", function()
    local path, _ <close> = file(text)
    local api = lull.api(path)
    contains(select(2, pcall(pairs, api.calls)), path .. ":6: call 'wrong': parameter 'x' has the unknown type")
    local fine, _ <close> = file((text:gsub('"strng"', '"string"'):gsub('"no method"', '"PUT"')))
    local names = {}
    for name, call in pairs(lull.api(fine).calls) do
      names[#names + 1] = name
      equal(call.path, "/" .. name)
    end
    table.sort(names)
    equal(table.concat(names, " "), "fine keyed other wrong")
  end)

  it("APIF-09 are those of the file as it was loaded", function()
    local path, _ <close> = file(text)
    local api = lull.api(path)
    assert(lull.write_file(path, "error('another one')"))
    equal(api.calls.fine.path, "/fine")
  end)
end)

describe("resource:explain()", function()
  it("says which line has set what", function()
    local api = lull.service{ base_url = "https://a.example", networking = function() return {} end,
      headers = {
        ["X-Test"] = "1",
        Authorization = "Bearer abc",
      },
    }
    api:configure("/users/*", {
      expiration_time = 7,
    })
    api:configure(function(config) config.retry_time = 9 end)
    local text = api("/users/1"):explain()
    local start = debug.getinfo(1, "l").currentline - 11
    contains(text, "GET https://a.example/users/1")
    local function line(name) return text:match("\n  " .. name:gsub("%p", "%%%0") .. " +([^\n]*)") end
    contains(line("headers.x-test"), "api_files_spec.lua:" .. start + 2)
    contains(line("headers.authorization"), "***")
    equal(text:find("abc", 1, true), nil)
    contains(line("expiration_time"), "7 s")
    contains(line("expiration_time"), "api_files_spec.lua:" .. start + 7 .. "  (/users/*)")
    contains(line("retry_time"), "api_files_spec.lua:" .. start + 9)
    contains(line("timeout"), "default")
    equal(api("/other"):explain():match("expiration_time +(%d+ s) +default"), "30 s")
  end)

  it("CFG-02 says which headers stay off at another origin", function()
    local api = lull.service{ base_url = "https://a.example/v1", networking = function() return {} end,
      headers = { Authorization = "Bearer abc", Accept = "a/b" } }
    local place = "api_files_spec.lua:" .. debug.getinfo(1, "l").currentline - 1
    local text = api:resource_at("https://b.example/x"):explain()
    contains(text:match("\n  headers.authorization +(.-)\n"), "not sent to origins other than https://a.example  ")
    contains(text:match("\n  headers.authorization +(.-)\n"), place)
    contains(text:match("\n  headers.accept +(.-)\n"), "a/b")
    equal(text:find("abc", 1, true), nil)
    equal(api("/x"):explain():find("not sent to origins", 1, true), nil)
  end)

  it("finds the line of each of 2,000 headers, set together or one by one", function()
    local lines = { 'local service = require "lull".service("http://127.0.0.1")', "service:configure{ headers = {" }
    for i = 1, 1000 do lines[#lines + 1] = ('["X-%d"] = "%d",'):format(i, i) end
    lines[#lines + 1] = "} }"
    for i = 1001, 2000 do lines[#lines + 1] = ('service:configure{ headers = { ["X-%d"] = "%d" } }'):format(i, i) end
    lines[#lines + 1] = 'service:configure{ headers = { ["x-7"] = "changed" } }'
    lines[#lines + 1] = 'print(service("/a"):explain())'
    local result = spec.script(table.concat(lines, "\n"), { seconds = 60 })
    equal(result.err, "")
    local found = {}
    for name, value, line in result.out:gmatch "headers%.x%-(%d+) +(.-) +%S+:(%d+)\n" do
      found[tonumber(name)] = value .. " " .. line
    end
    local expected = {}
    for i = 1, 2000 do expected[i] = i .. " " .. (i <= 1000 and i + 2 or i + 3) end
    expected[7] = "changed 2004"
    spec.same(found, expected)
  end, { seconds = 60 })

  it("says which line has switched a setting off", function()
    local api = lull.service{ base_url = "https://a.example", networking = function() return {} end,
      retry = 3, auth = lull.auth.bearer("abc"), rate_limit = { requests = 1, per = 1 } }
    api:configure("/u/*", { retry = false, auth = false })
    local place = "api_files_spec.lua:" .. debug.getinfo(1, "l").currentline - 1 .. "  (/u/*)"
    local text = api("/u/1"):explain()
    contains(text:match("\n  retry +(.-)\n"), place)
    equal(text:match("\n  retry +(%S+)"), "false")
    contains(text:match("\n  auth +(.-)\n"), place)
    equal(text:match("\n  auth +(%S+)"), "false")
    equal(text:find("\n  concurrency ", 1, true), nil, "what nobody has set is not listed")
    equal(api("/other"):explain():find("false  api_files", 1, true), nil)
  end)

  it("SVC-23 lists no settings of an invalid resource", function()
    local api = lull.service{ base_url = "https://a.example", networking = function() return {} end,
      retry = 3, headers = { ["X-Test"] = "1" } }
    local text = api:resource_at("http://["):explain()
    contains(text, "Settings\n  none: the resource has no URL\n")
    contains(text, "fail: there is no URL")
    equal(text:find("retry ", 1, true), nil)
    equal(text:find("x-test", 1, true), nil)
  end)

  it("knows of a service that is offline", function()
    local api = lull.service{ base_url = "https://a.example", expiration_time = 0,
      networking = function() return { json = { 1 } } end }
    local resource = api("/x")
    assert(resource:load():await())
    api.is_offline = true
    local answer = "load nothing: the service is offline, and the data is "
    contains(resource:explain(), answer)
    resource:invalidate()
    contains(resource:explain(), answer)
    equal(resource:load_if_needed(), nil)
    contains(api("/none"):explain(), "fail: the service is offline, and there is no data")
    equal(select(2, api("/none"):load_if_needed():await()).cause.kind, "offline")
  end)

  it("says what a load would do, and why", function()
    local answer = { status = 200, json = { 1 }, headers = { etag = '"e1"' } }
    local api = lull.service{ base_url = "https://a.example",
      networking = function() return answer end }
    local resource = api("/x")
    contains(resource:explain(), "load: there is neither data nor error")
    local request = resource:load()
    contains(resource:explain(), "join the load in progress")
    assert(request:await())
    contains(resource:explain(), "load nothing: the data is ")
    contains(resource:explain(), 'ETag "e1"')
    resource:invalidate()
    contains(resource:explain(), 'load: it was invalidated; conditionally, with if-none-match: "e1"')
    answer = { status = 503 }
    resource:load():await()
    contains(resource:explain(), "503")
    contains(resource:explain(), "and the retry time is 1 s")
    contains(resource:explain("POST"), "POST https://a.example/x")
    equal(resource:explain("POST"):find("load_if_needed", 1, true), nil)
  end)

  it("EXP-08 inside a configure function raises, however that is run", function()
    local service = lull.service("http://127.0.0.1:1")
    local messages = {}
    service:configure(function()
      local _, message = pcall(function() return service("/a"):explain() end)
      messages[#messages + 1] = message
    end)
    service:configuration_for(service("/a"))
    service("/a"):explain()
    equal(#messages >= 2, true)
    for _, message in ipairs(messages) do
      contains(message, "explain inside a configuration function")
    end
  end)
end)
