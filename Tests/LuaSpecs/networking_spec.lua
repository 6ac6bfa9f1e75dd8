-- Networking functions and lull.testing.stub (NET).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, json = spec.contains, spec.json

describe("a networking function", function()
  it("gets the final request", function()
    local service, sent = spec.fake(json "1", { headers = { ["X-Foo"] = "bar" } })
    service("/a"):post({ json = { 1 } }):await()
    equal(sent[1].method, "POST")
    equal(sent[1].url, "https://api.test/v1/a")
    equal(sent[1].body, "[1]")
    equal(sent[1].headers["x-foo"], "bar")
    service("/a"):get():await()
    equal(sent[2].body, nil)
  end)

  it("answers by returning a table", function()
    local entity = spec.fake({ status = 201, headers = { ETag = '"x"' }, body = "b" })("/a"):get():await()
    equal(entity.http_status, 201)
    equal(entity.etag, '"x"')
    equal(entity.content, "b")
  end)

  it("answers by calling complete at once", function()
    local is_inside = true
    local request = spec.fake(function(_, complete) complete(json "17") end)("/a"):get()
    request:on_completion(spec.expect(function() equal(is_inside, false, "NET-06") end))
    equal(request.state, "in_progress")
    is_inside = false
    equal(request:await().content, 17)
  end)

  it("answers by calling complete later", function()
    local service, held = spec.held()
    local request = service("/a"):get()
    lull.sleep(0.01)
    equal(request.state, "in_progress")
    held[1](json "17")
    equal(request:await().content, 17)
  end)

  it("answers after it has waited", function()
    local service = spec.fake(function()
      lull.sleep(0.01)
      return json "17"
    end)
    equal(service("/a"):get():await().content, 17)
  end)

  it("answers from another task", function()
    local service = spec.fake(function(_, complete)
      lull.spawn(function()
        lull.sleep(0.01)
        complete(json "17")
      end)
    end)
    equal(service("/a"):get():await().content, 17)
  end)

  it("NET-02 a second answer is ignored, and logged", function()
    local messages = {}
    lull.log.enabled = "network"
    lull.log.handler = function(category, message) messages[#messages + 1] = category .. " " .. message end
    local service, held = spec.held()
    local request = service("/a"):get():on_completion(spec.expect(1))
    spec.turn()
    held[1](json "1")
    held[1](json "2")
    equal(request:await().content, 1)
    held[1](json "3")
    spec.turn()
    contains(table.concat(messages, "\n"), "second")
  end)

  it("a table returned after complete is ignored", function()
    local service = spec.fake(function(_, complete)
      complete(json "1")
      return json "2"
    end)
    equal(service("/a"):get():await().content, 1)
  end)

  it("that drops its complete without an answer fails the request, rather than hang", function()
    local request = spec.fake(function() end)("/a"):get()
    spec.turn()
    spec.collect()
    local _, err = request:await()
    equal(err.cause.kind, "script_error")
    contains(err.cause.message, "ended without a response")
  end)

  it("answers with an error", function()
    for _, answer in ipairs {
      function(_, complete) complete(nil, lull.error { user_message = "KABOOM" }) end,
      function() return nil, lull.error { user_message = "KABOOM" } end,
      function() error(lull.error { user_message = "KABOOM" }) end,
    } do
      local _, err = spec.fake(answer)("/a"):get():await()
      check(err, "it failed")
      equal(err.user_message, "KABOOM")
    end
  end)

  it("CXL-08 an answer with the error of another, cancelled request is a failure by that", function()
    local other = spec.held()("/other"):get()
    other:cancel()
    local _, cancelled = other:await()
    equal(cancelled.cause.kind, "request_cancelled")
    for _, answer in ipairs {
      function(_, complete) complete(nil, cancelled) end,
      function() return nil, cancelled end,
      function() error(cancelled) end,
    } do
      local resource = spec.fake(answer)("/a")
      local events = spec.record(resource)
      local _, err = resource:load():await()
      same(events, { "observer_added []", "requested [L]", "error [E]" })
      equal(err.cause.kind, "request_cancelled")
      equal(err.cause.error.url, "https://api.test/v1/other")
      equal(err.url, "https://api.test/v1/a")
      equal(resource.latest_error.cause.error.user_message, "Request cancelled")
    end
  end)

  it("ERR-15 answers with an error that keeps its cause, status and entity", function()
    local cause = { code = 7 }
    local function made()
      return lull.error {
        user_message = "KABOOM", cause = cause, http_status = 418,
        entity = lull.entity { content = { tea = true }, headers = { ["X-Pot"] = "short" } },
      }
    end
    for _, answer in ipairs {
      function(_, complete) complete(nil, made()) end,
      function() return nil, made() end,
      function() error(made()) end,
      function() lull.sleep(0) return nil, made() end,
    } do
      for _, settings in ipairs { {}, { retry = { times = 1, backoff = { base = 0 } } } } do
        local service = spec.fake(answer, settings)
        local resource = service("/a")
        local request = resource:load()
        spec.collect()
        local _, err = request:await()
        spec.collect()
        equal(err.user_message, "KABOOM")
        equal(err.http_status, 418)
        check(rawequal(err.cause, cause))
        equal(err.entity.content.tea, true)
        equal(err.entity.headers["X-Pot"], "short")
        equal(err.url, "https://api.test/v1/a")
        equal(resource.latest_error.entity.content.tea, true)
      end
    end
  end)

  it("ERR-15 LOAD-11 fills what the error does not say from the answer beside it", function()
    local service = spec.fake(function()
      return { status = 503, body = "busy", headers = { ["X-Pot"] = "short" } },
        lull.error { user_message = "no tea", cause = "why" }
    end)
    local _, err = service("/a"):load():await()
    equal(err.user_message, "no tea")
    equal(err.cause, "why")
    equal(err.http_status, 503)
    equal(err.entity.headers["x-pot"], "short")
  end)

  it("ERR-15 passes on the error of another request as it is", function()
    local inner = spec.fake(spec.json('{"no":1}', nil, 404))
    local service = spec.fake(function()
      return nil, select(2, inner("/x"):load():await())
    end)
    local _, err = service("/a"):load():await()
    equal(err.http_status, 404)
    equal(err.entity.content.no, 1)
    equal(err.cause, nil)
    inner = lull.service("http://127.0.0.1:1")
    _, err = service("/a"):load():await()
    equal(err.cause.kind, "connection")
  end)

  it("ERR-15 goes through the pipeline like any error", function()
    local service = spec.fake(function()
      return nil, lull.error { http_status = 418, entity = lull.entity { content = { tea = 1 } } }
    end)
    service:transform(function(content) return { tea = content.tea + 1 } end)
    local _, err = service("/a"):load():await()
    equal(err.http_status, 418)
    equal(err.entity.content.tea, 1)
  end)

  it("that raises fails its request with script_error, and is reported", function()
    local _, err = spec.fake(function() error("kaputt") end)("/a"):get():await()
    equal(err.cause.kind, "script_error")
    contains(err.cause.message, "kaputt")
    contains(err.cause.traceback, "networking_spec.lua")
    local reports = spec.reports()
    equal(#reports, 1)
    contains(reports[1].message, "kaputt")
    contains(reports[1].where, "networking")
  end)

  it("that answers nonsense fails its request", function()
    for _, nonsense in ipairs { 7, "text", { status = "x" }, { sttus = 200 }, { status = 200, body = {} },
      { status = 200, headers = 7 } } do
      local _, err = spec.fake(function() return nonsense end)("/a"):get():await()
      check(err, spec.show(nonsense) .. " was taken")
    end
    spec.reports()
  end)

  it("complete raises for nonsense, at the caller's line", function()
    local messages = {}
    local service = spec.fake(function(_, complete)
      messages[1] = select(2, pcall(function() complete(7) end))
      messages[2] = select(2, pcall(function() complete() end))
      return json "1"
    end)
    service("/a"):get():await()
    for i = 1, 2 do contains(tostring(messages[i]), "networking_spec.lua") end
  end)

  it("may use another service", function()
    local service = spec.fake(function(http)
      local entity = assert(spec.demo()("/echo"):request(http.method, { text = "via" }):await())
      return json(lull.json.encode(entity.content))
    end)
    equal(service("/a"):post():await().content.body, "via")
  end)

  it("never answers: the request stays in progress", function()
    local request = spec.fake(function() end)("/a"):get()
    lull.sleep(0.02)
    equal(request.state, "in_progress")
    request:cancel()
  end)

  it("complete after a cancel, and after the service is gone, is ignored", function()
    local kept
    local function go()
      local service = spec.fake(function(_, complete) kept = complete end)
      local request = service("/a"):get()
      spec.turn()
      request:cancel()
    end
    go()
    spec.collect()
    kept(json "1")
    spec.turn()
  end)
end)

describe("lull.testing.stub", function()
  local function stubbed(stubs)
    return lull.service { base_url = "https://api.test/v1", networking = lull.testing.stub(stubs) }
  end

  it("answers by method and path", function()
    local service = stubbed {
      ["GET /users/7"] = { json = { name = "Ada" } },
      ["POST /users"] = { status = 201, headers = { Location = "/users/8" }, json = { id = 8 } },
      ["GET /text"] = { headers = { ["Content-Type"] = "text/plain" }, body = "hello" },
      ["DELETE /users/7"] = { status = 204 },
    }
    local entity = service("/users/7"):load():await()
    equal(entity.content.name, "Ada")
    equal(entity.content_type:match("^[^;]*"), "application/json")
    equal(entity.http_status, 200)
    entity = service("/users"):post({ json = {} }):await()
    equal(entity.http_status, 201)
    equal(entity:header("location"), "/users/8")
    equal(service("/text"):load():await().text, "hello")
    equal(assert(service("/users/7"):delete():await()).http_status, 204)
  end)

  it("answers with an error status", function()
    local _, err = stubbed({ ["GET /a"] = { status = 404, json = { code = "gone" } } })("/a"):load():await()
    equal(err.http_status, 404)
    equal(err.json_dict.code, "gone")
  end)

  it("tells a longer path from a shorter one", function()
    local service = stubbed { ["GET /users/7"] = { json = 7 }, ["GET /7"] = { json = 1 } }
    equal(service("/users/7"):load():await().content, 7)
    equal(service("/7"):load():await().content, 1)
    local _, err = service("/users/17"):load():await()
    check(err, "/users/17 is not stubbed")
  end)

  it("fails an unstubbed request, naming it and the stubs there are", function()
    local service = stubbed { ["GET /users/7"] = { json = 1 }, ["POST /users"] = { status = 201 } }
    local _, err = service("/users/8"):load():await()
    for _, part in ipairs { "GET", "/users/8", "GET /users/7", "POST /users" } do
      contains(tostring(err), part)
    end
    _, err = service("/users/7"):put():await()
    contains(tostring(err), "PUT")
  end)

  it("minds the query", function()
    local service = stubbed { ["GET /a?x=1"] = { json = 1 }, ["GET /a"] = { json = 0 } }
    equal(service("/a"):with_param("x", 1):load():await().content, 1)
    equal(service("/a"):load():await().content, 0)
  end)

  it("can be called from a networking function", function()
    local stub, count = lull.testing.stub { ["GET /a"] = { json = 17 } }, 0
    local service = spec.fake(function(http, complete)
      count = count + 1
      return stub(http, complete)
    end)
    equal(service("/a"):load():await().content, 17)
    local _, err = service("/b"):load():await()
    contains(tostring(err), "/b")
    equal(count, 2)
  end)

  it("minds that a body is text or bytes, JSON null and false", function()
    local service = stubbed {
      ["GET /null"] = { json = lull.null }, ["GET /false"] = { json = false },
      ["GET /list"] = { json = lull.array {} }, ["GET /bytes"] = { body = "\0\255" },
    }
    equal(service("/null"):load():await().content, lull.null)
    equal(service("/false"):load():await().content, false)
    same(service("/list"):load():await().content, {})
    equal(service("/bytes"):load():await().content, "\0\255")
  end)

  it("raises for wrong stubs", function()
    spec.raises("GET /users/7", function() lull.testing.stub { users = {} } end)
    spec.raises("'GET /a'", function() lull.testing.stub { ["GET /a"] = 7 } end)
    spec.raises("did you mean 'status'?", function() lull.testing.stub { ["GET /a"] = { statu = 200 } } end)
    spec.raises("json", function() lull.testing.stub { ["GET /a"] = { json = print } } end)
  end)
end)

describe("lull.log", function()
  local function recorded(enabled)
    local messages = {}
    lull.log.enabled = enabled
    lull.log.handler = function(category, message) messages[#messages + 1] = category .. ": " .. message end
    return messages
  end

  it("LOG-02 says nothing without setup", function()
    local messages = recorded {}
    spec.fake(json "1")("/a"):load():await()
    same(messages, {})
  end)

  it("LOG-04 hands category and text to the handler", function()
    local messages = recorded { "network" }
    spec.fake(json "1")("/users/7"):load():await()
    lull.log.enabled = {}
    local text = table.concat(messages, "\n")
    contains(text, "network: ")
    contains(text, "GET")
    contains(text, "/users/7")
    contains(text, "200")
    for _, message in ipairs(messages) do equal(message:match("^network: ") ~= nil, true, message) end
  end)

  it("says what failed", function()
    local messages = recorded "network"
    lull.service("http://127.0.0.1:1")("/a"):load():await()
    contains(table.concat(messages, "\n"), "127.0.0.1:1/a")
  end)

  it("LOG-03 knows presets, and lists what is enabled", function()
    lull.log.enabled = "common"
    local list = {}
    for _, name in ipairs(lull.log.enabled) do list[#list + 1] = name end
    table.sort(list)
    same(list, { "network", "staleness", "state_changes" })
    lull.log.enabled = "all"
    equal(#lull.log.enabled, 8)
    lull.log.enabled = "detailed"
    equal(#lull.log.enabled, 7)
    lull.log.enabled = { "network", "cache" }
    equal(#lull.log.enabled, 2)
  end)

  it("raises for an unknown category or handler", function()
    spec.raises("did you mean 'network'?", function() lull.log.enabled = { "netwrok" } end)
    spec.raises("did you mean 'staleness'?", function() lull.log.enabled = "stalenes" end)
    spec.raises("'enabled'", function() lull.log.enabled = 7 end)
    spec.raises("'handler'", function() lull.log.handler = 7 end)
    spec.raises("did you mean 'enabled'?", function() lull.log.enable = {} end)
  end)

  it("goes to standard error without a handler", function()
    local result = spec.script [[
      local lull = require "lull"
      lull.log.enabled = { "network" }
      local service = lull.service { base_url = "http://x.test", networking = function() return { status = 200 } end }
      service("/users/7"):load():await()
      print "out"
    ]]
    equal(result.out, "out\n")
    contains(result.err, "network")
    contains(result.err, "/users/7")
  end)

  it("an error in the handler leaves the request alone, and is reported", function()
    lull.log.handler = function() error("no") end
    lull.log.enabled = "network"
    local _, err = spec.fake(json "1")("/a"):load():await()
    lull.log.enabled = {}
    equal(err, nil)
    check(#spec.reports() > 0)
  end)
end)
