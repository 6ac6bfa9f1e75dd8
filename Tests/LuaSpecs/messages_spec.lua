-- What messages, logs and views of settings say, and do not give away.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, contains = spec.describe, spec.it, spec.equal, spec.same, spec.contains
local json = spec.json

local function message(fn)
  local ok, err = pcall(fn)
  equal(ok, false)
  return err
end

describe("A message of misuse", function()
  local service = spec.fake(function() return json "1" end)
  local cases = {
    ["'timeout' must be a number of seconds, 0 or more, got -1"] = function() service:configure{ timeout = -1 } end,
    ["'max_body_size' must be a whole number, 0 or more, got 1.5"] =
      function() service:configure{ max_body_size = 1.5 } end,
    ["got 'soon'"] = function() service:configure{ retry_time = "soon" } end,
    ["got true"] = function() service:configure{ expiration_time = true } end,
    ["'cached_resource_count_limit' must be a whole number, 0 or more, got -1"] =
      function() service.cached_resource_count_limit = -1 end,
    ["a number of seconds, 0 or more, expected, got -1"] = function() lull.sleep(-1) end,
    ["a list of \"json\" and \"text\", got 'jsn'"] =
      function() lull.service{ standard_transformers = { "jsn" } } end,
    ["'http_status' must be a whole number, got 'x'"] = function() lull.error{ http_status = "x" } end,
    ["'headers' must be a table, got 3"] = function() lull.entity{ headers = 3 } end,
    ["such as \"GET /users/7\", got '/users/7'"] = function() lull.testing.stub{ ["/users/7"] = {} } end,
    ["parameter 'x' must be a string, a finite number or a boolean, got "] =
      function() service("/a"):with_param("x", 0 / 0) end,
    ["bad argument #1 to 'resource' (string expected"] = function() service(nil) end,
    ["unknown setting 'msg'; there are user_message, http_status, status, cause, entity"] =
      function() lull.error{ msg = "x" } end,
  }
  for expected, misuse in pairs(cases) do
    it("says " .. expected, function()
      local text = message(misuse)
      contains(text, expected)
      contains(text, "messages_spec.lua:")
    end)
  end
end)

describe("lull.error", function()
  it("ERR-02 takes its message from the cause", function()
    equal(lull.error{ cause = { kind = "tls", message = "no trust" } }.user_message, "no trust")
    equal(lull.error{ cause = lull.error{ user_message = "inner" } }.user_message, "inner")
    equal(lull.error{ cause = "text" }.user_message, "text")
    equal(lull.error{ cause = {} }.user_message, "Request failed")
    equal(lull.error{ cause = { message = "x" }, http_status = 404 }.user_message, "x")
    equal(lull.error{ cause = {}, http_status = 404 }.user_message, "Not found")
    equal(lull.error{ cause = "x", user_message = "mine" }.user_message, "mine")
  end)
end)

describe("A predicate of wipe_resources and its kin", function()
  it("raises what it raises, as the call's own error", function()
    local service = spec.fake(function() return json "1" end)
    local resource = service("/a")
    local thrown = { code = 1 }
    for _, method in ipairs{ "wipe_resources", "invalidate_resources" } do
      local _, err = pcall(service[method], service, function() error(thrown) end)
      equal(err, thrown)
      local text = message(function() service[method](service, function() error("once", 2) end) end)
      equal(select(2, text:gsub("once", "")), 1)
      equal(select(2, text:gsub("messages_spec.lua", "")) <= 1, true, text)
      contains(message(function()
        service[method](service, function() error(lull.error{ user_message = "mine" }) end)
      end).user_message, "mine")
    end
    equal(resource.is_loading, false)
  end)
end)

describe("An observer table", function()
  it("OBS-39 must have functions where it has anything", function()
    local resource = spec.fake(function() return json "1" end)("/a")
    for _, name in ipairs{ "resource_request_progress", "stopped_observing" } do
      local text = message(function() resource:observe{ resource_changed = print, [name] = 3 } end)
      contains(text, "'" .. name .. "' of an observer table must be a function, got 3")
      contains(text, "messages_spec.lua:")
    end
  end)
end)

describe("configuration_for", function()
  it("shows headers in any letter case, and lets nothing be changed", function()
    local service = spec.fake(function() return json "1" end)
    service:configure{ headers = { ["X-Abc"] = "1" } }
    local settings = service:configuration_for(service("/x"))
    equal(settings.headers["x-abc"], "1")
    equal(settings.headers["X-ABC"], "1")
    contains(message(function() settings.headers["X-Abc"] = "2" end), "read-only")
    contains(message(function() settings.pipeline.order = {} end), "read-only")
    contains(message(function() settings.timeout = 1 end), "read-only")
  end)
end)

describe("The log", function()
  local function logged(url, headers)
    local lines = {}
    lull.log.enabled = "all"
    lull.log.handler = function(category, text) lines[#lines + 1] = category .. ": " .. text end
    local service = lull.service{ base_url = url, headers = headers, networking = function()
      return nil, lull.error{ user_message = "bad\nthing" }
    end }
    service("/x"):load():await()
    spec.turn()
    lull.log.enabled, lull.log.handler = {}, nil
    return table.concat(lines, "\n")
  end

  it("LOG-07 shows no password of a URL and no header that is called like a secret", function()
    local text = logged("https://user:pa55@h.test/v", {
      ["X-Api-Key"] = "hidden1", ["X-Auth-Token"] = "hidden2", Cookie = "hidden3", ["X-Plain"] = "shown",
    })
    for _, secret in ipairs{ "pa55", "hidden1", "hidden2", "hidden3" } do
      equal(text:find(secret, 1, true), nil, secret)
    end
    contains(text, "x-plain: shown")
    contains(text, "GET https://h.test/v/x")
  end)

  it("LOG-06 keeps what a server says on one line", function()
    contains(logged("https://h.test"), "failed: bad thing, not from the network")
  end)
end)

describe("lull.run(fn)", function()
  it("runs the function and all that follows, in the command as in a stock interpreter", function()
    local result = spec.script [[
      local lull = require "lull"
      lull.run(function()
        lull.spawn(function() lull.sleep(0.01) print "third" end)
        lull.sleep(0)
        print "second"
      end)
      print "last"
    ]]
    same({ result.out, result.code }, { "second\nthird\nlast\n", 0 })
  end)

  it("comes with tasks that begin in the order of their making", function()
    local order = {}
    lull.spawn(function() order[#order + 1] = "task" end)
    lull.sleep(0)
    order[#order + 1] = "main"
    same(order, { "task", "main" })
  end)
end)
