-- Errors in every callback at once, reentrancy of everything, and scripts that end with all in flight:
-- the process must survive, and what was in flight must be unharmed.
local lull = require "lull"
local spec = ...
local describe, it, equal, check, contains = spec.describe, spec.it, spec.equal, spec.check, spec.contains
local json = spec.json

local function boom() error("kaputt") end

-- A script of its own that must end as it should; `source` sees lull, service, json, boom.
local prelude = [[
  local lull = require "lull"
  local function boom() error("kaputt") end
  local function forever() lull.sleep(100) end
  local function json(body)
    return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = body }
  end
  local kept = {}
  local function service(networking)
    return lull.service { base_url = "http://x.test", networking = networking or function() return json "1" end }
  end
]]

local function survives(source, code)
  local result = spec.script(prelude .. source)
  check(result.code == code or code == nil and (result.code == 0 or result.code == 1),
    ("exit code %s: %s%s"):format(result.code, result.out, result.err:sub(1, 300)))
  return result
end

describe("errors in every callback", function()
  it("are each reported, and every request ends", function()
    local service = spec.fake(json "1")
    local function failing(name) return function() error("kaputt: " .. name) end end
    local cache = {}
    for _, name in ipairs { "key", "read", "write", "update_timestamp", "remove" } do cache[name] = failing(name) end
    service:configure { pipeline = { model = { cache = cache } } }
    service:configure("/mutation", { mutate_requests = failing "mutation" })
    service:configure("/decorator", { decorate_requests = failing "decorator" })
    service:configure("/configure", failing "configure")
    service:transform("/transform", failing "transform")
    service:configure("/response", function(config)
      config.pipeline.model:add_transformer(failing "response")
      config.pipeline.model:add(failing "after", { transform_errors = true })
    end)
    local requests = {}
    for _, path in ipairs { "mutation", "decorator", "configure", "transform", "response", "plain" } do
      local resource = service("/" .. path)
      resource:observe(failing "observer")
      resource:add_observer({ resource_changed = failing "table" }, service)
      local request = resource:load():on_completion(failing "hook"):on_progress(failing "progress")
      requests[#requests + 1] = request
      requests[#requests + 1] = request:chained(failing "chain")
      requests[#requests + 1] = request:repeated():start()
    end
    requests[#requests + 1] = lull.custom_request {
      start = failing "start", cancel = failing "cancel", progress = failing "fraction", repeated = failing "repeated",
    }:start():repeated():start()
    for _, request in ipairs(requests) do
      request:await()
      equal(request.state, "completed")
    end
    spec.turn()
    local seen = {}
    for _, report in ipairs(spec.reports()) do seen[report.message:match("kaputt: (.*)")] = true end
    for _, name in ipairs { "key", "mutation", "decorator", "configure", "transform", "response",
      "observer", "table", "hook", "progress", "chain", "repeated" } do
      check(seen[name], name .. " was not reported")
    end
    equal(spec.fake(json "1")("/x"):load():await().content, 1)
  end)

  it("leave requests in flight unharmed", function()
    local service, held = spec.held()
    local request = service("/a"):load()
    local chain = request:chained(function(response) return lull.success { content = { response.entity.content } } end)
    spec.turn()
    for _, misuse in ipairs {
      function() service:configure { nonsense = 1 } end, function() service("/a"):add_observer({}) end,
      function() service("/a"):add_observer(boom, 7) end, function() lull.custom_request {} end,
      function() service:configure { pipeline = { order = { 7 } } } end, function() request:chained(7) end,
      function() service:wipe_resources(7) end, function() service("/b"):load_using(7) end,
    } do
      equal(pcall(misuse), false)
    end
    equal(request.state, "in_progress")
    held[1](json "1")
    equal(chain:await().content[1], 1)
  end)

  it("of the error handler too do not stop anything", function()
    local result = survives([[
      lull.on_error(boom)
      local s = service()
      s:transform(boom)
      s:configure { decorate_requests = function(_, r) return r:chained(boom) end }
      print(s("/a"):load():await())
      lull.custom_request{ start = boom }:start():on_failure(boom)
      lull.run()
    ]])
    contains(result.out, "kaputt")
    if not spec.is_stock then equal(result.code, 1) end
  end)
end)

describe("a hook", function()
  it("that raises after its request and service have gone is reported", function()
    local function make()
      spec.fake(json "1")("/a"):load():on_success(function()
        lull.sleep(0.03)
        error("late")
      end):on_progress(function()
        lull.sleep(0.03)
        error("late")
      end)
    end
    make()
    for _ = 1, 5 do
      lull.sleep(0.002)
      spec.collect()
    end
    lull.sleep(0.05)
    local reports = spec.reports()
    equal(#reports, 2)
    contains(reports[1].where, "GET https://api.test/v1/a")
  end)

  it("of a request that another service's resource loads: owners may die after that service", function()
    local service = spec.held()
    local request = service("/a"):get()
    local function make()
      local resource = spec.fake(json "1")("/b")
      resource:load_using(request)
      local owner = {}
      resource:add_observer(function() end, owner)
      resource:add_observer({ resource_changed = function() end }, owner)
      resource:observe(function() end)
      request:on_completion(function() return owner end)
    end
    make()
    for _ = 1, 3 do spec.collect() end
    request:cancel()
    request:await()
    request = nil
    for _ = 1, 3 do spec.collect() end
    equal(request, nil)
  end)

  it("that comes late, raises, and was the last to know its request is reported", function()
    local function make()
      local request = spec.fake(json "1")("/a"):load()
      request:await()
      request:on_progress(boom):on_success(boom)
    end
    make()
    collectgarbage("collect")
    collectgarbage("collect")
    spec.turn()
    equal(#spec.reports(), 2)
  end)
end)

describe("cancelling inside every callback", function()
  it("of the request at hand breaks nothing", function()
    local service, request, chain
    local function cancel()
      if request then request:cancel() end
      if chain then chain:cancel() end
    end
    local cache = {
      key = function() cancel() return 1 end, read = function() cancel() lull.sleep(0) cancel() end,
      write = function() cancel() lull.sleep(0) end, remove = cancel,
    }
    service = spec.fake(function(_, complete, report)
      cancel()
      report { received = 1 }
      complete(json "1")
      cancel()
      lull.sleep(0)
      cancel()
    end)
    service:configure { pipeline = { model = { cache = cache } } }
    service:configure("/**", function(config)
      cancel()
      config.pipeline.model:add(function(content) cancel() lull.sleep(0) cancel() return content end)
      config.pipeline.model:add_transformer(function(response) cancel() lull.sleep(0) cancel() return response end)
      config:decorate_requests(function(_, r)
        cancel()
        return r:chained(function() cancel() lull.sleep(0) cancel() end)
      end)
      config:mutate_requests(cancel)
    end)
    for round = 1, 30 do
      local resource = service("/" .. round)
      resource:observe(cancel)
      request = resource:load_if_needed() or resource:load()
      request:on_completion(cancel):on_progress(cancel)
      chain = request:chained(function() cancel() lull.sleep(0) return request:repeated() end):on_completion(cancel)
      if round % 2 == 0 then lull.sleep(0) end
      if round % 3 == 0 then service:wipe_resources() end
      local load = resource:load()
      request, chain = load, load:chained(function() return lull.custom_request { start = cancel, cancel = cancel } end)
      load:await()
    end
    request, chain = nil, nil
    spec.turn()
    spec.reports()
  end)

  it("of a task that waits for a chain that waits for a custom request that waits for a cache", function()
    local closed = 0
    local function closing() return setmetatable({}, { __close = function() closed = closed + 1 end }) end
    local cache = {
      key = function() return 1 end, write = function() end, remove = function() end,
      read = function() local _ <close> = closing() lull.sleep(0.02) end,
    }
    local service = spec.fake(json "1")
    service:configure { pipeline = { model = { cache = cache } } }
    local task = lull.spawn(function()
      local _ <close> = closing()
      return lull.hard_wired_request(lull.success {}):chained(function()
        local _ <close> = closing()
        local custom = lull.custom_request { start = function(complete)
          local _ <close> = closing()
          complete(lull.success(assert(service("/a"):load_if_needed():await())))
        end }
        return custom:start():await() and custom
      end):await()
    end)
    spec.turn()
    task:cancel()
    equal(closed, 3)
    lull.sleep(0.05)
    equal(closed, 4, "the cache's read belongs to nobody")
    equal(service("/a").is_loading, false)
  end)
end)

describe("deep recursion", function()
  local function fails_somewhere(start)
    local ok = pcall(start)
    spec.turn()
    spec.reports()
    equal(spec.fake(json "17")("/x"):load():await().content, 17)
    return ok
  end

  it("of custom requests that start each other", function()
    local depth = 0
    local function make()
      return lull.custom_request { start = function(complete)
        depth = depth + 1
        if depth < 2000 then make():start() end
        complete(lull.success {})
      end }
    end
    fails_somewhere(function() make():start() end)
    check(depth > 50)
  end)

  it("of chains that wrap each other 1,000 times", function()
    local request = lull.hard_wired_request(lull.success { content = "x" })
    for _ = 1, 1000 do request = request:chained(function() end) end
    equal(request:await().text, "x")
  end, { seconds = 30 })

  it("of not-started chains that wrap each other 500 times", function()
    local request = spec.fake(json "1")("/a"):get():repeated()
    for _ = 1, 500 do request = request:chained(function() end) end
    equal(request.progress, 0.0)
    local again = request:repeated()
    request:start()
    request:cancel()
    again:start()
    again:await()
    equal(again.state, "completed")
    check(#tostring(again) > 0)
  end, { seconds = 30 })

  it("of progress functions that ask for each other's progress", function()
    local one, two
    local completes = {}
    local function start(complete) completes[#completes + 1] = complete end
    one = lull.custom_request { start = start, progress = function() return two.progress end }
    two = lull.custom_request { start = start, progress = function() return one.progress end }
    one:start()
    two:start()
    check(one.progress >= 0)
    check(#completes == 2)
    completes = nil
    fails_somewhere(function() return two.progress end)
    one:cancel()
    two:cancel()
  end)

  it("of repeated functions that repeat", function()
    local request
    request = lull.custom_request { start = function() end, repeated = function()
      request:repeated()
      return { start = function() end }
    end }
    fails_somewhere(function() request:repeated() end)
  end)

  it("of keys that look at the data they are for", function()
    local service = spec.fake(json "1")
    local cache = {
      key = function(_, resource) return tostring(resource.latest_data) .. tostring(resource.is_up_to_date) end,
      read = function() end, write = function() end, remove = function() end,
    }
    service:configure { pipeline = { model = { cache = cache } } }
    equal(service("/a"):load_if_needed():await().content, 1)
  end)

  it("of keys that load what they are for", function()
    local service = spec.fake(json "1")
    local cache = {
      key = function(_, resource) resource:load() return 1 end,
      read = function() end, write = function() end, remove = function() end,
    }
    service:configure { pipeline = { model = { cache = cache } } }
    fails_somewhere(function() service("/a"):load():await() end)
    service:wipe_resources()
    spec.reports()
  end, { seconds = 20 })

  it("of configure functions that load, and of decorators that repeat", function()
    local service = spec.fake(json "1")
    service:configure("/a", function() service("/a"):load() end)
    service:configure("/b", {
      decorate_requests = function(_, request) return request:repeated():chained(function() end) end,
    })
    fails_somewhere(function() service("/a"):load():await() end)
    equal(service("/b"):load():await().content, 1)
  end, { seconds = 20 })
end)

describe("a script that ends with everything in flight", function()
  local everything = [[
    local s = service(forever)
    local cache = { key = function() return {} end, read = forever, write = forever, remove = forever }
    s:configure("/cached/**", { pipeline = { model = { cache = cache }, cleanup = { cache = lull.cache.memory() } } })
    s:configure("/decorated", { decorate_requests = function(_, r) return r:chained(forever) end })
    kept[1] = s("/cached/a"):load_if_needed()
    s("/cached/b"):add_observer(function() end)
    kept[2] = s("/decorated"):load():chained(forever)
    kept[3] = lull.hard_wired_request(lull.success { content = {} }):chained(forever)
    kept[4] = lull.custom_request { start = forever, cancel = boom, progress = boom }:start()
    kept[5] = lull.custom_request { start = function(c) kept[6] = c end }:start():chained(forever)
    kept[7] = service():transform(forever)("/a"):load()
    local piped = service()
    piped:configure("/**", function(config) config.pipeline.model:add_transformer(forever) end)
    kept[8] = piped("/a"):load():repeated():chained(boom):start()
    kept[9] = lull.spawn(function() kept[4]:await() end)
    kept[10] = s("/a"):get(nil, function() return kept end):repeated():chained(function() return kept end)
    kept[11] = s("/cached/z"):load_if_needed():chained(function() return kept[10] end)
    lull.sleep(0.01)
  ]]

  -- A library cannot tell an exit with 0 from the end of the script. (LUA-150)
  local cut_off = spec.is_stock and 1 or 0

  it("by returning", function()
    if spec.is_stock then survives(everything .. [[ print "end" ]], cut_off) end
  end)

  it("by os.exit, with and without closing the state", function()
    survives(everything .. [[ os.exit(7) ]], 7)
    survives(everything .. [[ os.exit(7, true) ]], 7)
  end)

  it("by an error", function()
    local result = survives(everything .. [[ error "the end" ]], 1)
    contains(result.err, "the end")
  end)

  it("by an exit inside each kind of callback", function()
    for _, source in ipairs {
      [[ lull.hard_wired_request(lull.success {}):chained(function() os.exit(7) end):await() ]],
      [[ lull.custom_request { start = function() os.exit(7) end }:start():await() ]],
      [[ lull.custom_request { start = forever, cancel = function() os.exit(7) end }:start():cancel()
         lull.sleep(0.1) ]],
      [[ local r = lull.custom_request { start = forever, progress = function() os.exit(7) end }:start()
         local _ = r.progress lull.sleep(0.1) ]],
      [[ local s = service() s:configure { decorate_requests = function() os.exit(7) end } s("/a"):load():await() ]],
      [[ local s = service()
         s:configure("/**", function(c) c.pipeline.model:add_transformer(function() os.exit(7) end) end)
         s("/a"):load():await() ]],
      [[ local s = service() s:configure { pipeline = { model = { cache = { key = function() os.exit(7) end,
         read = print, write = print, remove = print } } } } s("/a"):load():await() lull.sleep(0.1) ]],
      [[ local s = service() s:configure { pipeline = { model = { cache = { key = function() return 1 end,
         read = function() os.exit(7) end, write = print, remove = print } } } }
         s("/a"):load_if_needed():await() lull.sleep(0.1) ]],
    } do
      survives(everything .. source, 7)
    end
  end)

  it("by garbage: everything unreachable, then collected, then the end", function()
    survives(everything .. [[
      s, piped, cache = nil, nil, nil
      for i = 1, 11 do kept[i] = nil collectgarbage() lull.sleep(0) end
      collectgarbage() collectgarbage()
      os.exit(0, true)
    ]], cut_off)
  end)

  it("and finalisers that use what is closed", function()
    survives(everything .. [[
      for i = 1, 11 do
        setmetatable({}, { __gc = function()
          pcall(function() kept[i]:cancel() end)
          pcall(function() return kept[i].progress end)
          pcall(function() kept[i]:chained(print) end)
          pcall(function() kept[i]:repeated():start() end)
          pcall(function() kept[6](lull.success { content = {} }) end)
          pcall(function() lull.custom_request { start = print }:start() end)
          pcall(function() lull.hard_wired_request(lull.success {}):on_success(print) end)
          pcall(function() s:configure { pipeline = { model = { cache = lull.cache.memory() } } } end)
          pcall(function() s("/cached/q"):load_if_needed() end)
          pcall(function() for r in s:resources() do r:wipe() end end)
        end })
      end
      os.exit(0, true)
    ]], cut_off)
  end)
end)

describe("objects of one another", function()
  it("complete and report kept beyond their request, service and everything", function()
    local kept = {}
    local function make()
      local service = spec.fake(function(_, complete, report) kept[1], kept[2] = complete, report end)
      service("/a"):load()
      lull.custom_request({ start = function(complete) kept[3] = complete end }):start()
      spec.turn()
      service:wipe_resources()
    end
    make()
    spec.collect()
    spec.collect()
    kept[1](json "1")
    kept[2] { received = 1 }
    kept[3](lull.success {})
    kept[3](lull.success {})
    spec.turn()
  end)

  it("a pipeline, a stage and a configuration kept beyond their service raise", function()
    local kept
    local function make()
      local service = spec.fake(json "1")
      service:configure("/**", function(config)
        kept = { config, config.pipeline, config.pipeline.model, config.headers }
      end)
      service:configuration_for(service("/a"))
    end
    make()
    spec.collect()
    spec.collect()
    for _, use in ipairs {
      function() return kept[1].pipeline end, function() return kept[2].order end, function() return kept[3].cache end,
      function() kept[3]:add(boom) end, function() kept[4].A = "b" end,
    } do
      equal(pcall(use), false)
    end
    for _, object in ipairs(kept) do check(type(select(2, pcall(tostring, object))) == "string") end
  end)
end)
