-- GraphQL: the setting `graphql`, and calls of API files with a GraphQL operation.
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local contains, excludes, raises, json = spec.contains, spec.excludes, spec.raises, spec.json
local folder = spec.temporary_folder

-- A service whose path /graphql answers with the given body.
local function answering(body, settings)
  local api, sent = spec.fake(function(http)
    local text = type(body) == "function" and body(http) or body
    return type(text) == "table" and text or json(text)
  end, settings)
  api:configure("/graphql", { graphql = true })
  return api, sent
end

local function ask(api, variables)
  return api("/graphql"):query { json = { query = "{ user { name } }", variables = variables } }
end

-- An API file, and files beside it, in a folder of their own.
local function file(text, others)
  local dir, guard = folder()
  for name, content in pairs(others or {}) do assert(lull.write_file(dir .. "/" .. name, content)) end
  local path = dir .. "/shop.lua"
  assert(lull.write_file(path, text))
  return path, guard
end

local head = [[
local lull = require "lull"
local service = lull.service{ base_url = "https://shop.example", networking = function(http)
  return { json = { data = { echo = { method = http.method, url = http.url,
    body = lull.json.decode(http.body or "null"), accept = http.headers.accept } } } }
end }
]]

local function loaded(calls, others)
  local path, guard = file(head .. "return { service = service, " .. calls .. " }", others)
  return lull.api(path), guard
end

describe("the setting graphql", function()
  it("GQL-30 makes the value of data the content", function()
    local api, sent = answering('{"data":{"user":{"name":"Ann"}},"extensions":{"cost":1}}')
    local user = ask(api)
    equal(user.method, "POST")
    local events = spec.record(user)
    local entity, err = user:load():await()
    equal(err, nil)
    equal(entity.content.user.name, "Ann")
    equal(entity.partial_error, nil)
    equal(user.content.user.name, "Ann")
    equal(sent[1].headers.accept, "application/graphql-response+json, application/json;q=0.9")
    same(events, { "observer_added []", "requested [L]", "new_data(network) [D]" })
    equal(user:load_if_needed(), nil)
    equal(api:configuration_for("/other").graphql, false)
    equal(api:configuration_for("/graphql").graphql, true)
  end)

  it("GQL-30 sends queries by the method of query_method", function()
    local api = answering '{"data":1}'
    api:configure("/graphql", { query_method = "QUERY" })
    equal(ask(api).method, "QUERY")
  end)

  it("GQL-31 keeps data that comes with errors, and the error", function()
    local body = '{"errors":[{"message":"no access","path":["user","posts",0,"title"],'
      .. '"locations":[{"line":1,"column":3}],"extensions":{"code":"FORBIDDEN","until":7}}],'
      .. '"data":{"user":{"name":"Ann"}}}'
    local api = answering(function() return body end)
    local user = ask(api)
    local events = spec.record(user)
    local entity, err = user:load():await()
    equal(entity.content.user.name, "Ann")
    equal(err.cause.kind, "graphql")
    equal(err.user_message, "no access (user.posts[0].title)")
    equal(entity.partial_error.user_message, err.user_message)
    local first = err.cause.errors[1]
    equal(first.message, "no access")
    equal(first.path, "user.posts[0].title")
    equal(first.code, "FORBIDDEN")
    equal(first.line, 1)
    equal(first.column, 3)
    equal(first.extensions["until"], 7)
    equal(user.latest_data.content.user.name, "Ann")
    equal(user.latest_error.cause.kind, "graphql")
    same(events, { "observer_added []", "requested [L]", "new_data(network) [DE]" })
    body = '{"data":{"user":{"name":"Bob"}}}'
    assert(user:load():await())
    equal(user.latest_error, nil)
    equal(user.content.user.name, "Bob")
  end)

  it("GQL-31 counts partial data as an error for the next load", function()
    local api, sent = answering('{"data":{"a":1},"errors":[{"message":"b is missing"}]}', { retry_time = 60 })
    api:configure { expiration_time = 0 }
    local user = ask(api)
    user:load():await()
    equal(user:load_if_needed(), nil)
    user:override_local_content({ a = 2 })
    equal(user.latest_error, nil)
    equal(user.latest_data.partial_error, nil)
    equal(#sent, 1)
  end)

  it("GQL-30 fails without data", function()
    local api = answering '{"data":null,"errors":[{"message":"bad"},{"message":"worse","type":"X"}]}'
    local user = ask(api)
    local entity, err = user:load():await()
    equal(entity, nil)
    equal(err.cause.kind, "graphql")
    equal(err.user_message, "bad, and 1 more")
    equal(err.cause.errors[2].code, "X")
    equal(err.http_status, 200)
    equal(user.latest_data, nil)
    equal(user.latest_error.cause.kind, "graphql")
  end)

  it("GQL-33 reads the errors of an error status", function()
    local api = answering(function()
      return { status = 400, headers = { ["content-type"] = "application/graphql-response+json" },
        body = '{"errors":[{"message":"unknown field \'x\'"}]}' }
    end)
    local _, err = ask(api):load():await()
    equal(err.http_status, 400)
    equal(err.cause.kind, "graphql")
    equal(err.user_message, "unknown field 'x'")
    local plain = answering(function() return { status = 503, json = { reason = "busy" } } end)
    local _, other = ask(plain):load():await()
    equal(other.http_status, 503)
    equal(other.cause, nil)
  end)

  it("GQL-34 fails if the response is not a GraphQL response", function()
    for _, body in ipairs { '{"a":1}', "[1]", '"text"', '{"errors":[]}', '{"data":1' } do
      local _, err = ask(answering(body)):load():await()
      contains(err.cause.kind, body == '{"data":1' and "malformed_json" or "wrong_content")
    end
    local html = answering(function()
      return { headers = { ["content-type"] = "text/html" }, body = "<p>Sign in</p>" }
    end)
    local _, err = ask(html):load():await()
    contains(err.cause.message, "expected an object with 'data' or 'errors', found text that is not JSON")
  end)

  it("GQL-32 stores no response with errors in caches", function()
    local dir, _ <close> = folder()
    local cache = lull.cache.file { path = dir .. "/cache.db" }
    local body = '{"data":{"n":1}}'
    local api, sent = answering(function() return body end)
    local function configure(service)
      service:configure(function(config) config.pipeline.raw_data.cache = cache end)
    end
    configure(api)
    assert(ask(api):load():await())
    body = '{"errors":[{"message":"down"}]}'
    equal((ask(api):load():await()), nil)
    local function cached()
      local other = answering '{"data":"network"}'
      configure(other)
      local user = ask(other)
      local request = user:load_if_needed()
      if request then request:await() end
      return user.content, user.latest_error
    end
    spec.turn()
    equal(cached().n, 1)
    body = '{"data":{"n":2},"errors":[{"message":"half"}]}'
    ask(api):load():await()
    spec.turn()
    equal(cached(), "network")
    equal(#sent, 3)
  end)

  it("GQL-35 reads mutations, which don't change the resource", function()
    local api = answering '{"data":{"add":{"id":7}}}'
    local request = api("/graphql"):request("POST", { json = { query = "mutation { add { id } }" } })
    equal(assert(request:await()).content.add.id, 7)
    equal(api("/graphql").latest_data, nil)
  end)
end)

describe("a GraphQL call", function()
  it("GQL-40 GQL-42 sends its operation with the variables as parameters", function()
    local shop, _ <close> = loaded [[calls = {
      user = { graphql = "query User($id: ID!, $n: Int = 3, $tags: [String!]) { user(id: $id) { name } }" } }]]
    local call = shop.calls.user
    equal(call.method, "POST")
    equal(call.path, "/graphql")
    local names = {}
    for _, param in ipairs(call.params) do
      names[#names + 1] = ("%s:%s:%s%s"):format(param.name, param.type, param.place, param.required and "!" or "")
    end
    same(names, { "id:string:body!", "n:integer:body", "tags:string[]:body" })
    contains(call.params[2].description, "default 3")
    local user = call:resource { id = "7", tags = { "a" } }
    equal(user, call:resource { tags = { "a" }, id = "7" })
    local entity = assert(user:load_if_needed():await())
    local echo = entity.content.echo
    equal(echo.method, "POST")
    equal(echo.url, "https://shop.example/graphql")
    equal(echo.body.operationName, "User")
    contains(echo.body.query, "query User($id: ID!")
    same(echo.body.variables, { id = "7", tags = { "a" } })
    equal(user:load_if_needed(), nil)
    raises("needs the parameter 'id'", function() call:resource {} end)
    raises("must be a whole number", function() call:resource { id = "1", n = "x" } end)
  end)

  it("GQL-40 GQL-41 reads documents from files, and chooses an operation", function()
    local text = "# two\nquery A { a { ...F } }\nquery B { b }\nfragment F on T { id }\nfragment G on T { id }"
    local shop, _ <close> = loaded([[calls = {
      a = { graphql_file = "two.graphql", operation = "A" },
      b = { graphql_file = "two.graphql", operation = "B", path = "/api", method = "QUERY" },
    }]], { ["two.graphql"] = text })
    local a = assert(shop.calls.a {}:await()).content.echo
    equal(a.body.query, "query A { a { ...F } }\n\nfragment F on T { id }")
    equal(a.body.variables, nil)
    local b = assert(shop.calls.b {}:await()).content.echo
    equal(b.method, "QUERY")
    equal(b.url, "https://shop.example/api")
  end)

  it("GQL-40 sends a mutation as a request", function()
    local shop, _ <close> = loaded [[calls = {
      add = { graphql = "mutation Add($input: In!) { add(input: $input) { id } }" } }]]
    local call = shop.calls.add
    local entity = assert(call { input = { name = "tea", count = 2 } }:await())
    same(entity.content.echo.body.variables, { input = { name = "tea", count = 2 } })
    equal(call:resource { input = { a = 1 } }.latest_data, nil)
    equal(call:resource { input = { a = 1 } }.method, "GET")
  end)

  it("GQL-42 takes types from the schema", function()
    local shop, _ <close> = loaded([=[graphql = "shop.graphql", calls = { list = { graphql =
      "query L($kind: Kind!, $day: Date, $where: Filter, $rows: [[Int]], $kinds: [Kind!]) { items(kind: $kind) { id } }"
      } }]=],
      { ["shop.graphql"] = "enum Kind { TEA COFFEE } scalar Date input Filter { a: Int } type Item { id: ID }\n"
        .. "type Query { items(kind: Kind): [Item] }" })
    local types = {}
    for _, param in ipairs(shop.calls.list.params) do types[param.name] = param.type end
    same(types, {
      kind = "TEA or COFFEE", day = "string", where = "JSON", rows = "JSON", kinds = "list of TEA or COFFEE" })
    raises("must be TEA or COFFEE", function() shop.calls.list:resource { kind = "WINE" } end)
  end)

  it("GQL-43 takes other settings of parameters from params", function()
    local shop, _ <close> = loaded [[calls = { list = {
      graphql = "query ($first: Int, $state: State!) { items(first: $first) { id } }",
      headers = { ["X-Tag"] = "a" },
      params = { limit = { name = "first", default = 5, description = "How many" }, state = "string",
        trace = { place = "header", name = "X-Trace" } } } }]]
    local call = shop.calls.list
    equal(call.params[1].name, "limit")
    equal(call.params[1].type, "integer")
    equal(call.params[1].description, "How many")
    local echo = assert(call { state = "OPEN", trace = "t" }:await()).content.echo
    same(echo.body.variables, { first = 5, state = "OPEN" })
    equal(echo.body.operationName, nil)
  end)

  it("GQL-45 walks the pages of a connection", function()
    local path, _ <close> = file [[
      local lull = require "lull"
      local service = lull.service{ base_url = "https://shop.example", networking = function(http)
        local after = (lull.json.decode(http.body).variables or {}).after
        local number = after and tonumber(after) or 0
        return { json = { data = { viewer = { items = {
          nodes = { { id = number + 1 }, { id = number + 2 } },
          pageInfo = { hasNextPage = number < 4, endCursor = tostring(number + 2) } } } } } }
      end }
      return { service = service, calls = { items = { pages = "relay", graphql = [=[
        query ($after: String) {
          viewer { items(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }
        }]=] } } }
    ]]
    local ids = {}
    for _, page in lull.api(path).calls.items:pages() do
      for _, node in ipairs(page.content.viewer.items.nodes) do ids[#ids + 1] = node.id end
    end
    same(ids, { 1, 2, 3, 4, 5, 6 })
  end)

  it("GQL-44 reads a subscription as a stream", function()
    local path, _ <close> = file [[
      local lull = require "lull"
      local service = lull.service{ base_url = "https://shop.example", networking = function(http)
        local parts = {
          'event: next\ndata: {"data":{"n":1}}\n\n', ':\n\n', 'event: next\ndata: {"data":{"n":2}}\n\n',
          'event: complete\ndata:\n\n', 'event: next\ndata: {"data":{"n":3}}\n\n' }
        return { headers = { ["content-type"] = "text/event-stream" }, body = table.concat(parts) }
      end }
      return { service = service, calls = { ticks = { graphql = "subscription { n }" } } }
    ]]
    local call = lull.api(path).calls.ticks
    local numbers = {}
    for row in call:resource():events() do numbers[#numbers + 1] = row.n end
    same(numbers, { 1, 2 })
    raises("is a subscription: read it with calls['ticks']:resource{ … }:events()", function() call {} end)
  end)

  it("GQL-44 ends a stream with the errors of a response", function()
    local body
    local api = answering(function()
      return { headers = { ["content-type"] = "text/event-stream" }, body = body }
    end)
    body = 'event: next\ndata: {"data":{"n":1},"errors":[{"message":"half"}]}\n\n'
      .. 'event: next\ndata: {"data":{"n":2}}\n\n'
    local numbers = {}
    local ok, err = pcall(function()
      for row in ask(api):events() do numbers[#numbers + 1] = row.n end
    end)
    equal(ok, false)
    contains(tostring(err), "half")
    same(numbers, { 1 })
  end)

  it("GQL-46 sends hashes, and the text to a server that does not know them", function()
    local known, bodies, mode = {}, {}, "automatic"
    local api = answering(function(http)
      local body = lull.json.decode(http.body)
      bodies[#bodies + 1] = body
      local hash = body.extensions and body.extensions.persistedQuery.sha256Hash
      if hash and mode == "never" then return '{"errors":[{"message":"PersistedQueryNotSupported"}]}' end
      if hash and body.query then known[hash] = body.query end
      if hash and not known[hash] then
        return '{"errors":[{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}'
      end
      return '{"data":{"asked":"' .. (body.query and "text" or "hash") .. '"}}'
    end)
    api:configure("/graphql", { persisted_queries = true })
    equal(assert(ask(api):load():await()).content.asked, "text")
    equal(#bodies, 2)
    equal(bodies[1].query, nil)
    equal(bodies[1].extensions.persistedQuery.version, 1)
    equal(bodies[1].extensions.persistedQuery.sha256Hash, lull.sha256("{ user { name } }"))
    equal(bodies[2].query, "{ user { name } }")
    equal(assert(ask(api, { id = 7 }):load():await()).content.asked, "hash")
    same(bodies[3].variables, { id = 7 })
    equal(#bodies, 3)
    known, mode = {}, "never"
    equal(assert(ask(api):load():await()).content.asked, "text")
    equal(bodies[5].extensions, nil)
    assert(ask(api):load():await())
    equal(#bodies, 6)
  end)

  it("GQL-47 keeps variables with secrets out of names", function()
    local path, _ <close> = file [[
      local lull = require "lull"
      local service = lull.service{ base_url = "https://shop.example", networking = function(http)
        return { json = { data = { body = http.body } } }
      end }
      return { service = service, calls = {
        me = { graphql = "query ($token: String!) { me(token: $token) { id } }" } } }
    ]]
    local me = lull.api(path).calls.me:resource { token = lull.secret { command = "printf hunter2secret" } }
    contains(assert(me:load():await()).content.body, '"variables":{"token":"‹secret printf›"}}')
    excludes(tostring(me), "hunter2secret")
    excludes(me.body, "hunter2secret")
  end)

  it("GQL-41 says what is wrong with the declaration", function()
    local cases = {
      { [[graphql = "{ a", ]], "call 'x': " },
      { [[graphql = "{ a }", graphql_file = "a.graphql"]], "cannot be combined" },
      { [[graphql_file = "../a.graphql"]], "must be the path of a file in the folder" },
      { [[graphql_file = "missing.graphql"]], "missing.graphql" },
      { [[graphql = "query A { a } query B { b }"]], "several operations (A, B): choose one with 'operation'" },
      { [[graphql = "query A { a }", operation = "B"]], "the document has no operation 'B'" },
      { [[graphql = "fragment F on T { id }"]], "the document has no operation" },
      { [[operation = "A", path = "/x"]], "'operation' needs 'graphql'" },
      { [[path = "/x", pages = "relay"]], "'relay' needs 'graphql'" },
      { [[graphql = "{ a }", pages = "relay"]], "needs a connection" },
      { [[graphql = "{ a }", body = "form"]], "'body' cannot be combined with 'graphql'" },
      { [[graphql = "{ a }", method = "GET"]], "is sent by POST or QUERY, not by GET" },
      { [[graphql = "mutation { a }", method = "QUERY"]], "is sent by POST, not by QUERY" },
      { [[graphql = "query ($id: ID) { a(id: $id) }", params = { ix = "string" }]],
        "no variable 'ix' (did you mean 'id'?)" },
    }
    for _, case in ipairs(cases) do
      local shop, _ <close> = loaded("calls = { x = { " .. case[1] .. " } }")
      local ok, err = pcall(function() return shop.calls.x end)
      equal(ok, false)
      contains(tostring(err), case[2])
    end
  end)
end)
