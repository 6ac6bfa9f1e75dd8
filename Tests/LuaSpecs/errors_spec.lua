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

  it("of TLS where there is none has the kind tls", function()
    local url = lull.demo():gsub("^http:", "https:")
    local _, err = lull.service(url)("/users/1"):load():await()
    equal(err.cause.kind, "tls")
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
