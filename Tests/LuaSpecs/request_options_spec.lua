-- What a call says of its one request, and headers that HTTP does not allow (REQ-26 to REQ-29).
local lull = require "lull"
local spec = ...
local describe, it, equal, raises, contains = spec.describe, spec.it, spec.equal, spec.raises, spec.contains
local excludes, check = spec.excludes, spec.check

local METHODS = { "get", "post", "put", "patch", "delete", "head", "options" }

local function echoed(options, settings)
  local entity = assert(spec.demo(settings)("/echo"):post({ text = "x" }, options):await())
  return entity.content
end

describe("the options of a call", function()
  it("REQ-26 set headers over configured ones and the body's type, before mutate", function()
    local service, sent = spec.fake(spec.json "1", { headers = { A = "configured", B = "configured" } })
    local seen
    service:configure(function(config)
      config:mutate_requests(function(http) http.headers.D = http.headers.c .. "!" end)
    end)
    service("/a"):post({ text = "x" }, {
      headers = { a = "call", C = 7, ["Content-Type"] = "text/markdown", L = { "1", "2" } },
      mutate = function(http)
        seen = http.headers.a .. " " .. http.headers.b .. " " .. http.headers["content-type"]
        http.headers.C = "mutated"
      end,
    }):await()
    equal(seen, "call configured text/markdown")
    local headers = sent[1].headers
    equal(headers.a, "call")
    equal(headers.c, "mutated")
    equal(headers.d, "mutated!")
    equal(headers.l, "1, 2")
    equal(headers["content-type"], "text/markdown")
  end)

  it("REQ-26 are taken by every method, and by request", function()
    local service, sent = spec.fake(spec.json "1")
    local resource = service("/a")
    for _, name in ipairs(METHODS) do
      resource[name](resource, nil, { headers = { X = name } }):await()
      equal(sent[#sent].headers.x, name)
    end
    resource:request("PURGE", { data = "x" }, { headers = { X = "y" } }):await()
    equal(sent[#sent].method .. sent[#sent].headers.x, "PURGEy")
    resource:post(nil, {}):await()
    equal(sent[#sent].headers.x, nil, "of that request only")
  end)

  it("MUT-05 may still be the function alone", function()
    local service, sent = spec.fake(spec.json "1")
    service("/a"):post(nil, function(http) http.headers.X = "y" end):await()
    equal(sent[1].headers.x, "y")
  end)

  it("MUT-07 REQ-28 hold for repetitions, and their function is kept for them", function()
    local service, sent = spec.fake(spec.json "1")
    local count = 0
    local request = service("/a"):post({ text = "x" }, {
      headers = { X = "y" }, timeout = 5, mutate = function(http)
        count = count + 1
        http.headers.N = count
      end })
    request:await()
    spec.collect()
    request:repeated():start():await()
    equal(sent[2].headers.x .. sent[2].headers.n, "y2")
    equal(sent[2].body, "x")
  end)

  it("REQ-27 keep headers off by false, on the wire", function()
    local seen = echoed({ headers = { ["X-Own"] = false, ["User-Agent"] = false, Y = "y" } },
      { headers = { ["X-Own"] = "configured" } })
    equal(seen.headers["x-own"], nil)
    equal(seen.headers["user-agent"], nil)
    equal(seen.headers.y, "y")
  end)

  it("REQ-27 send secrets and mask them", function()
    local secret = lull.secret { env = "HOME", name = "home" }
    local service = spec.demo()
    local masked
    local request = service("/echo"):get(nil, {
      headers = { ["X-Token"] = "k " .. secret },
      mutate = function(http) masked = http.headers["x-token"] end,
    })
    equal(assert(request:await()).content.headers["x-token"], "k " .. os.getenv "HOME")
    contains(masked, "home")
    excludes(masked, os.getenv "HOME")
  end)

  it("REQ-27 do not send secrets to another origin", function()
    local service = lull.service("https://elsewhere.test")
    local _, err = service:resource_at(lull.demo() .. "/echo"):get(nil, {
      headers = { ["X-Token"] = lull.secret { env = "HOME" } } }):await()
    equal(err.cause.kind, "secret_origin")
  end)

  it("REQ-28 bound the exchange", function()
    local service = spec.demo { timeout = 30 }
    local _, err = service("/slow"):with_param("seconds", 3):get(nil, { timeout = 0.05 }):await()
    equal(err.cause.kind, "timeout")
    contains(err.user_message, "0.05 s (timeout)")
  end)

  it("raise for what they are not", function()
    local service, sent = spec.fake(spec.json "1")
    local resource = service("/a")
    local function bad(message, options)
      for _, name in ipairs(METHODS) do
        raises(message, function() resource[name](resource, nil, options) end)
      end
      raises(message, function() resource:request("GET", nil, options) end)
    end
    bad("unknown setting 'header' (did you mean 'headers'?)", { header = {} })
    bad("unknown setting 'mutation'; there are headers, timeout, mutate", { mutation = print })
    bad("unknown setting of type number", { 7 })
    bad("'headers' must be a table, got 7", { headers = 7 })
    bad("header names must be strings, got number", { headers = { "x" } })
    bad("header 'X' must be a string or a list of strings, got function", { headers = { X = print } })
    bad("'timeout' must be a number of seconds, 0 or more, got 'soon'", { timeout = "soon" })
    bad("'timeout' must be a number of seconds, 0 or more, got -1", { timeout = -1 })
    bad("'timeout' must be a number of seconds, 0 or more", { timeout = 0 / 0 })
    bad("'mutate' must be a function, got 'x'", { mutate = "x" })
    bad("function or table expected, got number", 7)
    bad("function or table expected, got string", "x")
    equal(#sent, 0)
    equal(#resource.all_requests, 0)
  end)
end)

describe("a header that HTTP does not allow", function()
  local names = { "", "a b", "a:", "a\n", "ä", "(x)", "a\0" }
  local values = {
    ["x\r\ny: z"] = "must not contain line breaks or zero bytes", ["x\n"] = "must not contain line breaks",
    ["\0"] = "must not contain line breaks or zero bytes", ["a\1b"] = "must not contain control characters",
    ["a\127"] = "must not contain control characters", [" a"] = "must not begin or end with a space or tab",
    ["a\t"] = "must not begin or end with a space or tab", [" "] = "must not begin or end with a space or tab",
  }
  local places = {
    ["a configured table"] = function(headers) spec.fake(spec.json "1"):configure { headers = headers } end,
    ["a service's own"] = function(headers) lull.service { base_url = "http://a.test", headers = headers } end,
    ["the options of a call"] = function(headers) spec.fake(spec.json "1")("/a"):get(nil, { headers = headers }) end,
  }

  it("REQ-29 raises in tables of headers, for its name and its value", function()
    for place, set in pairs(places) do
      local function bad(problem, headers)
        local is_taken, message = pcall(set, headers)
        equal(is_taken, false, place .. ": " .. problem)
        contains(message, problem, place)
      end
      for _, name in ipairs(names) do bad("is not a valid header name", { [name] = "x" }) end
      for value, problem in pairs(values) do
        bad("header 'X' " .. problem, { X = value })
        bad("header 'X' " .. problem, { X = { "ok", value } })
      end
      set { X = "", Y = "a\tb c", Z = "\xE9" }
    end
  end)

  it("REQ-29 raises in an entity's and an answer's only where it is none, since servers send all kinds", function()
    local function entity(headers) return lull.entity { content = "x", headers = headers } end
    for _, name in ipairs(names) do
      contains(select(2, pcall(entity, { [name] = "x" })), "is not a valid header name")
    end
    for value, problem in pairs(values) do
      if problem:find "line breaks" then
        contains(select(2, pcall(entity, { X = value })), "header 'X' must not contain line breaks")
      else
        equal(entity({ X = value }).headers.X, value)
      end
    end
    local service = spec.fake { status = 200, headers = { X = "a\27b" } }
    equal(assert(service("/a"):load():await()).headers.X, "a\27b")
  end)

  it("REQ-29 raises in mutations and settings functions, and nothing is sent", function()
    for value, problem in pairs(values) do
      local service, sent = spec.fake(spec.json "1")
      local _, err = service("/a"):get(nil, function(http) http.headers.X = value end):await()
      contains(err.cause.message, "header 'X' " .. problem)
      service:configure(function(config) config.headers.X = value end)
      _, err = service("/a"):get():await()
      contains(err.cause.message, "header 'X' " .. problem)
      equal(#sent, 0)
    end
    for _, name in ipairs(names) do
      local service, sent = spec.fake(spec.json "1")
      local _, err = service("/a"):get(nil, function(http) http.headers[name] = "x" end):await()
      contains(err.cause.message, "is not a valid header name")
      equal(#sent, 0)
    end
    check(#spec.reports() > 0)
  end)

  it("REQ-29 raises as a content type and as a credential", function()
    local resource = spec.fake(spec.json "1")("/a")
    for value, problem in pairs(values) do
      raises("'content_type' " .. problem, function() resource:post { data = "x", content_type = value } end)
      raises("the value of a header " .. problem, function() lull.auth.bearer(value) end)
      raises("the value of a header " .. problem, function() lull.auth.header("X-Key", value) end)
    end
  end)
end)
