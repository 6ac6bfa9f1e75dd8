-- What must outlive a collection, what must not, and what nobody can complete any more.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, contains = spec.describe, spec.it, spec.equal, spec.same, spec.contains
local json = spec.json

-- Runs `fn` with a collector that is always at work.
local function eagerly(fn)
  collectgarbage("incremental", 10, 10000, 2)
  local ok, err = pcall(fn)
  collectgarbage("incremental", 200, 100, 13)
  assert(ok, err)
end

-- The runner's own watchdog is work in progress, so that nothing looks like a standstill here.
local function collect_soon()
  lull.spawn(function()
    lull.sleep(0.005)
    spec.collect()
  end)
end

describe("A custom request nobody can complete", function()
  it("DEL-02 is not given up while its start may still return a response", function()
    local request = lull.custom_request{ start = function()
      for _ = 1, 5 do
        lull.sleep(0.005)
        collectgarbage()
      end
      return lull.success{ content = "in time" }
    end }
    equal(request:start():await().text, "in time")
  end)

  it("DEL-02 raises where it is awaited, in a chain too, also afterwards", function()
    local function dead() return lull.custom_request{ start = function() end } end
    local chain = dead():start():chained(function() end)
    local request = dead():start()
    collect_soon()
    for _ = 1, 2 do
      for _, hopeless in ipairs{ chain, request } do
        local ok, message = pcall(hopeless.await, hopeless)
        equal(ok, false)
        contains(message, "will never complete: a 'complete' function was dropped without a call")
      end
    end
  end)

  it("DEL-07 still ends when it is cancelled", function()
    local request = lull.custom_request{ start = function() end }:start()
    collect_soon()
    equal(pcall(request.await, request), false)
    local kind
    request:on_failure(function(err) kind = err.cause.kind end)
    request:cancel()
    spec.turn()
    equal(kind, "request_cancelled")
  end)

  it("DEL-02 holds nothing once that is known", function()
    local weak = setmetatable({}, { __mode = "v" })
    for i = 1, 20 do
      local ballast = {}
      weak[i] = ballast
      lull.custom_request{ start = function() end }:on_completion(function() return ballast end):start()
    end
    for _ = 1, 4 do spec.collect() end
    same(weak, {})
  end)

  it("CHN-12 tells the chains around it of a cancellation", function()
    local request = lull.custom_request{ start = function() end }:start()
    local kind
    local chain = request:chained(function(response) kind = response.error.cause.kind end)
    local outer = chain:chained(function() end)
    collect_soon()
    equal(pcall(outer.await, outer), false)
    request:cancel()
    spec.turn()
    equal(kind, "request_cancelled")
    equal(outer.state, "completed")
  end)
end)

describe("A request that waits for its start", function()
  it("DEL-09 keeps the functions that 'repeated' returned", function()
    eagerly(function()
      local function delegate()
        local marks = { "x" }
        return {
          start = function(complete) complete(lull.success{ content = marks[1] }) end,
          repeated = delegate,
        }
      end
      for _ = 1, 200 do
        local request = lull.custom_request(delegate()):repeated():repeated()
        spec.collect()
        equal(request:start():await().text, "x")
      end
    end)
  end, { seconds = 60 })

  it("HOOK-05 keeps the hooks of the request a chain wraps", function()
    local service = spec.fake(function() return json "1" end)
    local heard = {}
    local request = service("/a"):get():repeated()
    request:on_success(function() heard[#heard + 1] = "wrapped" end)
    local chain = request:chained(function() heard[#heard + 1] = "decided" end)
    request = nil -- luacheck: ignore
    spec.collect()
    assert(chain:start():await())
    same(heard, { "wrapped", "decided" })
  end)

  it("LOAD-37 keeps hooks and functions in the list of a resource", function()
    local service = spec.fake(function() return json "1" end)
    local resource = service("/a")
    local heard
    local function promote()
      local request = lull.custom_request{ start = function(complete)
        complete(lull.success{ content = "own" })
      end }
      resource:load_using(request:on_success(function() heard = true end))
    end
    promote()
    spec.collect()
    resource.load_requests[1]:start()
    spec.turn()
    equal(heard, true)
    equal(resource.text, "own")
  end)

  it("OBS-37 is let go with its service", function()
    local weak = setmetatable({}, { __mode = "v" })
    do
      local service = spec.fake(function() return json "1" end)
      local request = service("/a"):get():repeated()
      weak[1], weak[2] = service, request
      service("/b"):load_using(request)
    end
    spec.turn()
    for _ = 1, 4 do spec.collect() end
    same(weak, {})
  end)

  it("CHN-15 wraps many times over without keeping everything many times", function()
    local service = spec.fake(function() return json "1" end)
    collectgarbage()
    local before = collectgarbage("count")
    local request = service("/a"):get():repeated()
    for _ = 1, 1000 do request = request:chained(function() end) end
    collectgarbage()
    -- A kilobyte and a half each; a list of all that is wrapped in each would be 16 MB.
    equal(collectgarbage("count") - before < 4000, true)
    equal(request.state, "not_started")
  end)
end)

describe("A function that was collected with its service", function()
  it("CAN-10 is not missed by a request that a delayed cancel_load brings about", function()
    local seen
    local answer = function(http)
      seen = http.headers["x-auth"]
      return json "1"
    end
    do
      local service = lull.service{ base_url = "https://api.test", networking = answer }
      service:configure(function(config) config.headers["X-Auth"] = "token" end)
      local owner = {}
      local resource = service("/a")
      resource:add_observer({
        resource_changed = function() end,
        stopped_observing = function(_, r) r:put() end,
      }, owner)
      resource:cancel_load_if_unobserved(0.02)
      resource, owner, service = nil, nil, nil -- luacheck: ignore
    end
    spec.collect()
    lull.sleep(0.05)
    spec.turn()
    equal(seen == nil or seen == "token", true, tostring(seen))
  end)
end)

describe("A load", function()
  it("LOAD-28 is in progress already when networking asks for one", function()
    local asked, service, inner = 0, nil, nil
    service = spec.fake(function()
      asked = asked + 1
      if asked < 10 then inner = service("/a"):load_if_needed() end
      return json "1"
    end)
    local request = service("/a"):load_if_needed()
    assert(request:await())
    equal(asked, 1)
    equal(inner, request)
  end)

  it("DEC-03 LOAD-30 STA-13 that a decorator cancelled is no load in progress", function()
    local service = spec.fake(function() return json "1" end)
    service:configure("/a", { decorate_requests = function(_, request) return request:cancel() end })
    local resource = service("/a")
    local events = {}
    resource:observe(function(_, event) events[#events + 1] = event end)
    local request = resource:load()
    equal(request.state, "completed")
    equal(resource.is_loading, false)
    same(resource.load_requests, {})
    spec.turn()
    same(events, { "observer_added", "requested", "request_cancelled" })
  end)

  it("WIPE-06 that a cancelled request starts during a wipe is not wiped", function()
    local service = spec.fake(function() return json "7" end)
    local resource = service("/a")
    local request = lull.custom_request{
      start = function(complete) lull.sleep(60) complete() end,
      cancel = function() resource:load() end,
    }
    resource:load_using(request):start()
    resource:wipe()
    spec.turn()
    equal(resource.content, 7)
  end)

  it("LOAD-37 that nobody has started is not started by load_if_needed with a cache", function()
    local asked = 0
    local service = lull.service{
      base_url = "https://api.test",
      networking = function()
        asked = asked + 1
        return json "1"
      end,
      pipeline = { model = { cache = lull.cache.memory() } },
    }
    local resource = service("/a")
    local composite = resource:load_if_needed()
    local unstarted = resource:get():repeated()
    resource:load_using(unstarted)
    assert(composite:await())
    equal(unstarted.state, "not_started")
    -- The get above, and the load of the composite.
    equal(asked, 2)
    unstarted:cancel()
  end)
end)
