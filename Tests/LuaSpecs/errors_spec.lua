-- Errors of the outside world: status, message, cause, body (ERR, LOAD-08 to LOAD-11).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, json = spec.contains, spec.json

local function failed(answers)
  local resource = spec.fake(answers)("/a")
  local entity, err = resource:load():await()
  equal(entity, nil)
  return check(err), resource
end

describe("an HTTP error", function()
  it("LOAD-09 LOAD-10 ERR-10 is every status from 400; its cause is nil", function()
    for _, status in ipairs { 400, 401, 404, 418, 500, 503, 599 } do
      local err, resource = failed(json("{}", nil, status))
      equal(err.http_status, status)
      equal(err.cause, nil)
      equal(resource.latest_error.http_status, status)
      equal(resource.latest_data, nil)
    end
    for _, status in ipairs { 200, 201, 302, 399 } do
      local entity = check(spec.fake(json("1", nil, status))("/a"):load():await())
      equal(entity.http_status, status)
    end
  end)

  it("ERR-04 ERR-05 has a message in sentence case", function()
    for status, message in pairs {
      [400] = "Bad request", [401] = "Unauthorized", [403] = "Forbidden", [404] = "Not found",
      [405] = "Method not allowed", [409] = "Conflict", [410] = "Gone", [429] = "Too many requests",
      [499] = "Request failed", [500] = "Internal server error", [502] = "Bad gateway",
      [503] = "Service unavailable", [504] = "Gateway timeout", [507] = "Insufficient storage",
      [599] = "Server error",
    } do
      equal(failed(json("{}", nil, status)).user_message, message)
    end
  end)

  it("ERR-07 JSN-06 TRF-35 has the parsed body", function()
    local err, resource = failed(json('{"code":"no_such_user","list":[1]}', { ["X-Foo"] = "bar" }, 404))
    equal(err.json_dict.code, "no_such_user")
    same(err.content.list, { 1 })
    same(err.json_array, {})
    equal(err.text, "")
    equal(err.entity:header("x-foo"), "bar")
    equal(err.entity.content_type, "application/json")
    equal(resource.latest_error.json_dict.code, "no_such_user")
    equal(failed(spec.answer("text/plain", "no", 500)).text, "no")
    same(failed(json("[1]", nil, 500)).json_array, { 1 })
  end)

  it("JSN-07 keeps a body it cannot parse as bytes, and its message", function()
    local err = failed(json("{oops", nil, 500))
    equal(err.user_message, "Internal server error")
    equal(err.http_status, 500)
    equal(err.content, "{oops")
    equal(err.text, "")
    same(err.json_dict, {})
  end)

  it("ERR-08 has an entity with empty content for an empty body, none for no body", function()
    local err = failed { status = 500, headers = {}, body = "" }
    equal(err.entity.content, "")
    equal(failed({ status = 500 }).entity, nil)
    same(failed({ status = 500 }).json_dict, {})
  end)

  it("of the sample API has its body, status, message and URL", function()
    local service = spec.demo()
    local _, err = service("/users/4711"):load():await()
    equal(err.http_status, 404)
    equal(err.user_message, "Not found")
    equal(err.url, service("/users/4711").url)
    check(next(err.json_dict), "the sample API explains itself")
    check(err.elapsed > 0)
    for _, part in ipairs { "Not found", "GET " .. service("/users/4711").url, "404" } do
      contains(tostring(err), part)
    end
    _, err = service("/status/418"):post():await()
    equal(err.http_status, 418)
    contains(tostring(err), "POST")
    _, err = service("/status/503"):get():await()
    equal(err.user_message, "Service unavailable")
  end)

  it("ERR-01 ERR-14 has a fixed timestamp", function()
    local before = lull.now()
    local err = failed(json("{}", nil, 500))
    local timestamp = err.timestamp
    check(timestamp >= before and timestamp <= lull.now())
    lull.sleep(0.01)
    equal(err.timestamp, timestamp)
  end)

  it("LOAD-11 ERR-11 may have both a status and a cause", function()
    local err = failed(function(_, complete)
      complete({ status = 200 }, lull.error { user_message = "torn", cause = "cut" })
    end)
    equal(err.http_status, 200)
    contains(err.user_message, "torn")
    check(err.cause)
  end)
end)

describe("an error of the network", function()
  it("LOAD-08 ERR-03 has the message of its cause", function()
    local err, resource = failed(function(_, complete)
      complete(nil, lull.error { user_message = "KABOOM" })
    end)
    equal(err.user_message, "KABOOM")
    equal(err.http_status, nil)
    equal(resource.latest_error.user_message, "KABOOM")
  end)

  it("of a refused port has the kind connection", function()
    local _, err = lull.service("http://127.0.0.1:1")("/a"):load():await()
    equal(err.cause.kind, "connection")
    equal(err.http_status, nil)
    check(#err.cause.message > 0 and #err.user_message > 0)
    contains(tostring(err), "GET http://127.0.0.1:1/a")
  end)

  it("of an unknown host has the kind dns", function()
    local _, err = lull.service("http://nope.invalid")("/a"):load():await()
    equal(err.cause.kind, "dns")
    contains(tostring(err), "nope.invalid")
  end, { seconds = 10 })

  it("RTY-05 of a server that hangs up in the TLS handshake has the kind connection", function()
    local url = lull.demo():gsub("^http:", "https:")
    local _, err = lull.service(url)("/users/1"):load():await()
    equal(err.cause.kind, "connection")
    contains(err.cause.message, "during the TLS handshake")
  end)

  it("of a scheme nobody speaks is a failure", function()
    local _, err = lull.service {}:resource_at("gopher://127.0.0.1/x"):load():await()
    check(err.cause)
    check(#err.user_message > 0)
    _, err = lull.service {}:resource_at("file:///etc/passwd"):load():await()
    check(err and err.cause, "no file is read")
  end)
end)

describe("the value of a script_error", function()
  local values = { 42, 1.5, true, false, "text", print, lull.null, { code = 7 },
    coroutine.create(print), lull.regex "x" }
  local function raising(value) return function() error(value, 0) end end
  local done = lull.hard_wired_request(lull.success { content = 1 })
  local ways = {
    ["a networking function"] = function(value)
      return spec.fake(raising(value))("/a"):load()
    end,
    ["a transformer"] = function(value)
      local service = spec.fake(json "1")
      service:transform(raising(value))
      return service("/a"):load()
    end,
    ["a transformer of responses"] = function(value)
      local service = spec.fake(json "1")
      service:configure(function(config)
        config.pipeline.cleanup:add_transformer(raising(value))
      end)
      return service("/a"):load()
    end,
    ["a chain function"] = function(value) return done:chained(raising(value)) end,
    ["a custom request"] = function(value)
      return lull.custom_request { start = raising(value) }:start()
    end,
    ["a configure function"] = function(value)
      local service = spec.fake(json "1")
      service:configure(raising(value))
      return service("/a"):load()
    end,
    ["a mutation"] = function(value)
      return spec.fake(json "1")("/a"):request("GET", nil, raising(value))
    end,
    ["a decorator"] = function(value)
      local service = spec.fake(json "1")
      service:configure(function(config) config:decorate_requests(raising(value)) end)
      return service("/a"):load()
    end,
  }
  for name, way in pairs(ways) do
    it("ERR-16 is whatever " .. name .. " has raised", function()
      for _, value in ipairs(values) do
        local request = way(value)
        spec.collect()
        local _, err = request:await()
        spec.collect()
        equal(err.cause.kind, "script_error")
        check(rawequal(err.cause.value, value), name .. ": " .. tostring(value))
        equal(math.type(err.cause.value), math.type(value))
      end
      spec.reports()
    end)
  end

  it("ERR-16 is what a task raises again", function()
    for _, value in ipairs(values) do
      local task = lull.spawn(raising(value))
      local ok, raised = pcall(task.await, task)
      equal(ok, false)
      check(rawequal(raised, value))
    end
  end)
end)

describe("lull.error", function()
  it("makes an error from a text or a table", function()
    local err = lull.error("kaputt")
    equal(err.user_message, "kaputt")
    equal(err.http_status, nil)
    equal(err.cause, nil)
    contains(tostring(err), "kaputt")
    err = lull.error {
      user_message = "no", http_status = 418,
      entity = lull.entity { content = { a = 1 }, content_type = "x/y" },
    }
    equal(err.http_status, 418)
    equal(err.entity.content.a, 1)
    equal(err.json_dict.a, 1)
  end)

  it("keeps the cause it was given", function()
    local cause = { kind = "mine", detail = 7 }
    local err = lull.error { user_message = "no", cause = cause }
    check(err.cause)
    equal(err.cause.kind, "mine")
    equal(err.cause.detail, 7)
  end)

  it("ERR-02 ERR-05 takes the status' message without one of its own", function()
    equal(lull.error({ http_status = 404 }).user_message, "Not found")
  end)

  it("raises for an unknown key, with a suggestion", function()
    spec.raises("did you mean 'user_message'?", function() lull.error { user_mesage = "x" } end)
    spec.raises("'error'", function() lull.error(7) end)
  end)
end)

describe("status and http_status", function()
  it("ERR-150 are the same in what comes", function()
    local err = failed(json("{}", nil, 404))
    equal(err.status, 404)
    equal(lull.error{ user_message = "x" }.status, nil)
    local request = spec.fake(json("1", nil, 201))("/a"):load()
    local entity = check(request:await())
    equal(entity.status, 201)
    equal(request.response.status, 201)
    local service = lull.service{
      base_url = "https://api.test", retry = { times = 1, backoff = { base = 0 } },
      networking = function() return { http_status = 503 } end,
    }
    local flaky = service("/a"):load()
    local _, failure = flaky:await()
    equal(failure.status, 503)
    equal(#flaky.attempts, 2)
    equal(flaky.attempts[1].status, 503)
    equal(flaky.attempts[1].http_status, 503)
  end)

  it("ERR-150 are the same in what is given, and only one of them is", function()
    equal(lull.error{ status = 409 }.http_status, 409)
    equal(lull.error{ http_status = 409 }.status, 409)
    spec.raises("mean the same", function() lull.error{ status = 409, http_status = 409 } end)
    spec.raises("'status' must be a whole number", function() lull.error{ status = "409" } end)
    local stub = lull.testing.stub{ ["GET /a"] = { http_status = 418 } }
    local service = lull.service{ base_url = "https://api.test", networking = stub }
    local _, err = service("/a"):load():await()
    equal(err.status, 418)
    spec.raises("mean the same", function()
      lull.testing.stub{ ["GET /a"] = { http_status = 418, status = 418 } }
    end)
  end)
end)

describe("a hint", function()
  it("ERR-152 says what a URL without a scheme lacks", function()
    for _, url in ipairs{ "localhost:8080/x", "localhost", "example.com/x", "[::1]:80/x", "10.0.0.1" } do
      local _, err = lull.get(url):await()
      contains(tostring(err), "it needs http:// or https:// before it", url)
    end
    local _, err = lull.get("/users"):await()
    spec.excludes(tostring(err), "before it")
  end)

  it("ERR-152 says what ipairs was given, and what a 401 asks for", function()
    if spec.is_stock then return end
    local function run(source) return spec.script(source).err end
    contains(run[[for _ in ipairs(require("lull").null) do end]], "ipairs got lull.null")
    local asks = [[
      local lull = require "lull"
      local api = lull.service{ base_url = "https://a.test", networking = function()
        return { status = 401, headers = { ["WWW-Authenticate"] = %q }, body = "no" }
      end }
      assert(api("/a"):load():await())
    ]]
    contains(run(asks:format('Digest realm="x", nonce="y"')), "lull.auth.digest")
    contains(run(asks:format('Basic realm="x", Digest realm="x"')), "lull.auth.digest")
    spec.excludes(run(asks:format('Basic realm="Digest"')), "lull.auth.digest")
  end)

  it("NET-150 says what is wrong with a proxy, and no password", function()
    for url, problem in pairs{
      ["host:3128"] = "it has no scheme", ["ftp://host"] = "its scheme is 'ftp'",
      ["http://"] = "it has no host", ["http://host:99999"] = "its port is not a number",
      ["http://host/path"] = "it has a path or query", [""] = "it is empty",
      ["http://ann:pass word@host"] = "its user or password has a character",
    } do
      local done, message = pcall(lull.service, { base_url = "https://a.test", proxy = url })
      equal(done, false)
      contains(tostring(message), problem, url)
      spec.excludes(tostring(message), "pass word")
    end
  end)

  it("SVC-150 says where a path has got a float", function()
    local head = 'local api = require("lull").service("https://a.test") local n = 5.0\n'
    contains(spec.script(head .. 'local _ = api("/users/" .. 10 / 2)').err, "the path ends in 5.0")
    equal(spec.script(head .. 'local _ = api("/users/" .. 10 // 2)').err, "")
    equal(spec.script(head .. 'local _ = api("/users/" .. n), api("/v/2.0")').err, "")
    equal(spec.script(head .. 'local _ = api("5.0/x" .. 4 / 2)').err, "")
  end)
end)
