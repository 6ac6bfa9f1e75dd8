-- Calls from inside callbacks, errors in callbacks, nesting without end.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, json = spec.contains, spec.json

describe("inside an observer", function()
  it("a load works", function()
    local resource = spec.fake { json "1", json "2" }("/a")
    local count = 0
    resource:add_observer(function(r, event)
      if event == "new_data" then
        count = count + 1
        if count == 1 then r:load() end
      end
    end)
    local events = spec.record(resource)
    resource:load():await()
    lull.sleep(0.01)
    equal(resource.content, 2)
    same(events, {
      "observer_added []", "requested [L]", "requested [LD]", "new_data(network) [LD]",
      "new_data(network) [D]",
    })
  end)

  it("a wipe works, and the outer event goes on with what is there now", function()
    local resource = spec.fake(json "1")("/a")
    resource:add_observer(function(r, event, detail)
      if event == "new_data" and detail == "network" then r:wipe() end
    end)
    local events = spec.record(resource)
    resource:load():await()
    same(events, { "observer_added []", "requested [L]", "new_data(wipe) []", "new_data(network) []" })
    equal(resource.latest_data, nil)
  end)

  it("stopping oneself, a peer, or all works", function()
    local resource = spec.fake(json "1")("/a")
    local heard, observations = {}, {}
    for i = 1, 4 do
      observations[i] = resource:observe(function(_, event)
        heard[#heard + 1] = i .. event:sub(1, 1)
        if event == "requested" and i == 2 then
          for _, observation in ipairs(observations) do observation:stop() end
        end
      end)
    end
    resource:load():await()
    equal(table.concat(heard, " "), "1o 2o 3o 4o 1r 2r")
  end)

  it("an override, an invalidation, a cancel and a flush work", function()
    local resource = spec.fake(json "1")("/a")
    resource:add_observer(function(r, event)
      if event == "requested" then
        r:override_local_content("x")
        r:invalidate()
        r.service:flush_unused_resources()
        r.service:invalidate_configuration()
        r.service:configure { retry_time = 3 }
        for _, request in ipairs(r.load_requests) do request:cancel() end
      end
    end)
    local request = resource:load()
    local _, err = request:await()
    equal(err.cause.kind, "request_cancelled")
    equal(resource.content, "x")
    equal(resource.is_loading, false)
  end)

  it("adding and removing others while a broadcast runs works", function()
    local resource = spec.fake(json "1")("/a")
    local own = {}
    for _ = 1, 20 do
      resource:add_observer(function(r)
        r:remove_observers(own)
        r:add_observer(function() end, own)
      end)
    end
    for _ = 1, 5 do resource:load():await() end
    equal(resource.content, 1)
  end)

  it("wipe_resources of the whole service works", function()
    local service = spec.fake(json "1")
    local one, two = service("/1"), service("/2")
    two:load():await()
    one:add_observer(function(r, event) if event == "requested" then r.service:wipe_resources() end end)
    local _, err = one:load():await()
    equal(err.cause.kind, "request_cancelled")
    equal(two.latest_data, nil)
  end)
end)

describe("inside a hook", function()
  it("hooks can be added, and are called later", function()
    local request, order = spec.fake(json "1")("/a"):load(), {}
    request:on_success(function()
      order[#order + 1] = 1
      request:on_success(function() order[#order + 1] = 3 end)
      order[#order + 1] = 2
    end)
    request:await()
    spec.turn()
    same(order, { 1, 2, 3 })
  end)

  it("the next request can be started, 500 times in a row", function()
    local resource, count = spec.fake(json "1")("/a"), 0
    local function again()
      count = count + 1
      if count < 500 then resource:load():on_success(again) end
    end
    resource:load():on_success(again)
    while count < 500 do lull.sleep(0.005) end
    equal(count, 500)
  end)
end)

describe("inside a configure function, a transformer or a networking function", function()
  it("the service can be used", function()
    local service
    service = spec.fake(function(http)
      service:configure { retry_time = 4 }
      service("/other"):override_local_content("x")
      return json('"' .. http.method .. '"')
    end)
    service:configure("/**", function(config)
      service("/b"):child("c")
      config.headers.A = "1"
    end)
    service:transform(function(content)
      service:wipe_resources("/nothing")
      service:invalidate_configuration()
      return content
    end)
    equal(service("/a"):load():await().content, "GET")
  end)

  it("asking for the same configuration is no endless loop", function()
    local service = spec.fake(json "1")
    local depth = 0
    service:configure("/**", function()
      depth = depth + 1
      if depth < 1000 then return service:configuration_for(service("/a")) end
    end)
    local ok, result = pcall(service.configuration_for, service, service("/a"))
    check(ok or type(result) == "string")
    depth = 1000
    spec.turn()
    spec.reports()
    equal(spec.fake(json "1")("/b"):load():await().content, 1)
  end)
end)

describe("callbacks that nest without end", function()
  it("fail with 'callbacks nested too deeply', and nothing else does", function()
    local resource = spec.fake(json "1")("/a")
    local depth = 0
    resource:add_observer(function(r)
      depth = depth + 1
      r:override_local_content(depth)
    end)
    spec.turn()
    local reports = spec.reports()
    equal(#reports, 1)
    contains(reports[1].message, "callbacks nested too deeply")
    check(depth > 100 and depth < 250, "depth " .. depth)
    local other = spec.fake(json "17")("/b")
    equal(other:load():await().content, 17)
    resource:wipe()
    spec.reports()
  end)

  it("over two resources fail likewise", function()
    local service = spec.fake(json "1")
    local one, two = service("/1"), service("/2")
    one:add_observer(function() two:wipe() end)
    two:add_observer(function() one:wipe() end)
    spec.turn()
    local reports = spec.reports()
    check(#reports >= 1)
    contains(reports[1].message, "callbacks nested too deeply")
    equal(spec.fake(json "17")("/b"):load():await().content, 17)
  end)

  it("in answer-now functions fail likewise", function()
    local service = spec.fake(json "1")
    local count = 0
    service:configure { mutate_requests = function()
      count = count + 1
      if count < 2000 then service("/" .. count):get() end
    end }
    service("/a"):get():await()
    local reports = spec.reports()
    count = 2000
    check(#reports < 5, #reports .. " reports")
    for _, report in ipairs(reports) do contains(report.message, "callbacks nested too deeply") end
    equal(service("/a"):get():await().content, 1)
  end, { seconds = 20 })

  it("in the requested event, by load, fail likewise", function()
    local service = spec.held()
    local resource = service("/a")
    local depth = 0
    resource:add_observer(function(r, event)
      depth = depth + 1
      if event == "requested" and depth < 5000 then r:load() end
    end)
    resource:load()
    local reports = spec.reports()
    check(#reports >= 1)
    contains(reports[1].message, "callbacks nested too deeply")
    depth = 5000
    resource:wipe()
    spec.turn()
    spec.reports()
  end, { seconds = 20 })
end)

describe("an error", function()
  local function one_report(part, where)
    spec.turn()
    local reports = spec.reports()
    equal(#reports, 1)
    contains(reports[1].message, part)
    contains(reports[1].traceback, "reentrancy_spec.lua")
    if where then contains(reports[1].where, where) end
  end

  it("in an observer is reported with its traceback, and the next one runs", function()
    local resource, count = spec.fake(json "1")("/users/7"), 0
    local is_armed = false
    resource:add_observer(function() if is_armed then error("kaputt") end end)
    resource:add_observer(function() count = count + 1 end)
    is_armed = true
    resource:override_local_content(1)
    one_report("kaputt", "/users/7")
    equal(count, 2)
  end)

  it("in an observer after it has waited is reported too", function()
    spec.fake(json "1")("/a"):add_observer(function()
      lull.sleep(0)
      error("late")
    end)
    one_report("late", "observer")
  end)

  it("in stopped_observing is reported", function()
    local resource = spec.fake(json "1")("/a")
    local observer = { resource_changed = function() end, stopped_observing = function() error("bye") end }
    resource:add_observer(observer):remove_observers(observer)
    one_report("bye")
  end)

  it("in a hook is reported, and the next one runs", function()
    local request = spec.fake(json "1")("/a"):load()
    request:on_success(function() error("kaputt") end)
    request:on_success(spec.expect(1))
    equal(request:await().content, 1)
    one_report("kaputt", "on_success")
  end)

  it("in on_progress is reported", function()
    local request = spec.fake(json "1")("/a"):load():on_progress(function() error("kaputt") end)
    request:await()
    spec.turn()
    check(#spec.reports() >= 1)
  end)

  it("in a configure function fails the requests with script_error, reported once for each resource", function()
    local service, sent = spec.fake(json "1")
    service:configure("/**", function() error("kaputt") end)
    for _ = 1, 3 do
      local _, err = service("/a"):load():await()
      equal(err.cause.kind, "script_error")
      contains(err.cause.message, "kaputt")
    end
    equal(#sent, 0, "nothing is sent without its settings")
    one_report("kaputt")
    service("/b"):load():await()
    equal(#spec.reports(), 1)
    service:invalidate_configuration()
    service("/a"):load():await()
    equal(#spec.reports(), 1)
  end)

  it("in a predicate fails the requests with script_error", function()
    local service, sent = spec.fake(json "1")
    service:configure(function() error("kaputt") end, { headers = { Authorization = "x" } })
    local _, err = service("/a"):load():await()
    equal(err.cause.kind, "script_error")
    equal(#sent, 0)
    one_report("kaputt")
  end)

  it("in a mutation fails the request before it is sent", function()
    local service, sent = spec.fake(json "1")
    local _, err = service("/a"):get(nil, function() error("kaputt") end):await()
    equal(err.cause.kind, "script_error")
    one_report("kaputt")
    service:configure { mutate_requests = function() error("again") end }
    _, err = service("/a"):load():await()
    equal(err.cause.kind, "script_error")
    contains(err.cause.message, "again")
    one_report("again")
    equal(#sent, 0)
  end)

  it("in the input predicate of a transformer is a transformer's error", function()
    local service = spec.fake(json "1")
    service:transform(function(content) return content end, { input = function() error("kaputt") end })
    local _, err = service("/a"):load():await()
    equal(err.cause.kind, "script_error")
    one_report("kaputt")
  end)

  it("that is no string is shown all the same", function()
    for _, value in ipairs { { 1 }, 7, true, print, setmetatable({}, { __tostring = function() return "mine" end }) } do
      spec.fake(json "1")("/a"):add_observer(function() error(value) end)
      spec.turn()
      local reports = spec.reports()
      equal(#reports, 1)
      check(#reports[1].message > 0)
    end
  end)

  it("in __tostring of what was raised breaks nothing", function()
    local nasty = setmetatable({}, { __tostring = function() error("nasty") end })
    lull.on_error(function() return true end)
    spec.fake(json "1")("/a"):add_observer(function() error(nasty) end)
    spec.turn()
    local _, err = spec.fake(json "1"):transform(function() error(nasty) end)("/a"):load():await()
    equal(err.cause.kind, "script_error")
  end)

  it("in a hundred callbacks at once is reported a hundred times", function()
    local request = spec.fake(json "1")("/a"):load()
    for _ = 1, 100 do request:on_success(function() error("x") end) end
    request:await()
    spec.turn()
    equal(#spec.reports(), 100)
  end)
end)

describe("lull.on_error", function()
  it("gets the error, its traceback and where it happened", function()
    local seen
    lull.on_error(function(...)
      seen = table.pack(...)
      return true
    end)
    local value = { code = 7 }
    spec.fake(json "1")("/users/7"):add_observer(function() error(value) end)
    spec.turn()
    equal(seen.n, 3)
    check(rawequal(seen[1], value))
    contains(seen[2], "stack traceback")
    contains(seen[3], "/users/7")
  end)

  it("that raises itself is replaced by the default report, in the exit code too", function()
    local result = spec.script [[
      local lull = require "lull"
      lull.on_error(function() error("second") end)
      local service = lull.service { base_url = "http://x.test", networking = function() return { status = 200 } end }
      service("/a"):add_observer(function() error("first") end)
      lull.sleep(0.01)
    ]]
    contains(result.err, "first")
    contains(result.err, "second")
    if not spec.is_stock then equal(result.code, 1) end
  end)

  it("decides about the exit code of the command", function()
    for handler, code in pairs {
      ["function() return true end"] = 0, ["function() end"] = 1, ["function() return 1 end"] = 1,
      ["nil"] = 1,
    } do
      local result = spec.script([[
        local lull = require "lull"
        lull.on_error(]] .. handler .. [[)
        local service = lull.service { base_url = "http://x.test", networking = function() return { status = 200 } end }
        service("/a"):add_observer(function() error("kaputt") end)
        lull.sleep(0.01)
      ]])
      if not spec.is_stock then equal(result.code, code, handler) end
      if handler == "nil" then
        contains(result.err, "kaputt")
        contains(result.err, "stack traceback")
      else
        equal(result.err, "", handler)
      end
    end
  end, { seconds = 10 })
end)
