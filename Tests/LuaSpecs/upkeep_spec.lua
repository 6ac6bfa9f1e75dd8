-- What long-lived scripts leave behind: memory and work that must not grow with what is over.
local lull = require "lull"
local spec = ...
local describe, it, equal, check = spec.describe, spec.it, spec.equal, spec.check

-- How many KB more Lua holds after the body than before, once everything has been collected.
local function growth(body)
  local function size()
    for _ = 1, 2 do spec.collect() end
    return collectgarbage "count"
  end
  local before = size()
  body()
  return size() - before
end

describe("a cache table", function()
  local function cache()
    return {
      key = function() end, read = function() end, write = function() end, remove = function() end,
    }
  end

  it("assigned by a configure function is kept once, however many resources get it", function()
    local table_cache = cache()
    local function grown(configure)
      local service = spec.fake(spec.json "1")
      service.cached_resource_count_limit = 4000
      service:configure(configure)
      return growth(function()
        for i = 1, 4000 do check(not service("/" .. i).is_up_to_date) end
      end)
    end
    -- The first makes room that stays.
    grown(function(config) config.expiration_time = 1 end)
    local growth_with_cache = grown(function(config)
      config.pipeline.parsing.cache = table_cache
    end)
    -- Each kept by itself would take 30 bytes at least.
    check(growth_with_cache < 100, growth_with_cache .. " KB")
  end)

  it("still is one cache in two services, also when the first of them is gone", function()
    local running, most, calls = 0, 0, 0
    local table_cache = {
      key = function(_, resource) return resource.url end,
      read = function()
        running, calls = running + 1, calls + 1
        most = math.max(most, running)
        lull.sleep(0.005)
        running = running - 1
      end,
      write = function() end, remove = function() end,
    }
    local function service()
      local made = spec.fake(spec.json "1")
      made:configure(function(config) config.pipeline.parsing.cache = table_cache end)
      return made
    end
    local second = service()
    do
      local first = service()
      local a, b = first("/a"):load_if_needed(), second("/a"):load_if_needed()
      a:await()
      b:await()
    end
    spec.collect()
    spec.collect()
    local third = service()
    local a, b = second("/b"):load_if_needed(), third("/b"):load_if_needed()
    a:await()
    b:await()
    equal(calls, 4)
    equal(most, 1)
  end)
end)

describe("PRG-24 a table observer", function()
  -- How often `resource_request_progress` was looked for while a slow request loaded.
  local function lookups(observer)
    local count = 0
    local table_observer = setmetatable({ resource_changed = function() end }, {
      __index = function(_, name)
        if name ~= "resource_request_progress" then return nil end
        count = count + 1
        return observer
      end,
    })
    local service = spec.fake(function()
      lull.sleep(0.05)
      return spec.json "1"
    end, { progress_reporting_interval = 0.001 })
    local resource = service("/a"):add_observer(table_observer)
    resource:load():await()
    return count
  end

  it("without resource_request_progress measures none: it is looked for when added", function()
    equal(lookups(nil), 1)
  end)

  it("with it hears of progress, also from its metatable", function()
    local values = {}
    check(lookups(function(_, _, value) values[#values + 1] = value end) > 1)
    equal(values[#values], 1.0)
  end)
end)

describe("a hook added after the end", function()
  local hooks = { "on_completion", "on_success", "on_new_data", "on_not_modified", "on_failure" }
  local outcomes = {
    success = lull.success { content = { 1 } }, failure = lull.failure "no",
  }
  for outcome, response in pairs(outcomes) do
    it("is let go after its turn, whether it applied to a " .. outcome .. " or not", function()
      local request = lull.hard_wired_request(response)
      request:await()
      lull.sleep(0)
      for _, hook in ipairs(hooks) do
        local grown = growth(function()
          for i = 1, 100 do
            local text = ("x"):rep(10000) .. i
            request[hook](request, function() return text end)
          end
        end)
        check(grown < 200, hook .. " keeps " .. grown .. " KB")
      end
      local grown = growth(function()
        for i = 1, 100 do
          local text = ("x"):rep(10000) .. i
          request:on_progress(function() return text end)
        end
      end)
      check(grown < 200, "on_progress keeps " .. grown .. " KB")
    end)
  end
end)

describe("a predicate of", function()
  for _, method in ipairs { "wipe_resources", "invalidate_resources" } do
    it(method .. " is let go with the call", function()
      local service = spec.fake(spec.json "1")
      local grown = growth(function()
        for i = 1, 100 do
          local text = ("x"):rep(10000) .. i
          service[method](service, function() return #text == 0 end)
        end
      end)
      check(grown < 200, method .. " keeps " .. grown .. " KB")
    end)
  end

  it("configure is kept as long as the service", function()
    local service, sent = spec.fake(spec.json "1")
    service:configure(function(url) return url:find("/secret", 1, true) ~= nil end,
      { headers = { ["X-Auth"] = "s" } })
    spec.collect()
    spec.collect()
    service("/secret"):load():await()
    service("/open"):load():await()
    spec.same({ sent[1].headers["x-auth"], sent[2].headers["x-auth"] }, { "s" })
  end)
end)

it("headers that do not fit change nothing of a configuration", function()
  local service, sent = spec.fake(spec.json "1")
  service:configure(function(config) config.headers["X-Auth"] = "s" end)
  service:configure(function(config)
    for _, wrong in ipairs { 5, "text", { ["bad name"] = "x" }, { ["X-Other"] = {} } } do
      check(not pcall(function() config.headers = wrong end))
    end
  end)
  service("/a"):load():await()
  equal(sent[1].headers["x-auth"], "s")
  equal(sent[1].headers["x-other"], nil)
end)

it("what ends a script counts each request once, not its parts and not the look into a cache",
  function()
    if not spec.is_stock then return end
    local result = spec.script [[
      local lull = require "lull"
      local api = lull.service { base_url = "http://x.test",
        networking = function() lull.sleep(5) return { status = 200, json = {} } end,
        pipeline = { parsing = { cache = {
          key = function(_, resource) return resource.url end, read = function() lull.sleep(5) end,
          write = function() end, remove = function() end,
        } } },
      }
      api("/a"):load_if_needed()
      api("/b"):get():chained(function() end)
    ]]
    spec.contains(result.err, "the script ended with 2 requests in flight")
  end)

it("an observer that waits after another has failed is reported under its own name", function()
  local service = spec.fake(spec.json "1")
  local outer, inner = service("/outer"), service("/inner")
  local task = lull.spawn(function() lull.sleep(60) end)
  inner:add_observer(function(_, event) if event == "new_data" then error "inner fails" end end)
  outer:add_observer(function(_, event)
    if event ~= "new_data" then return end
    inner:override_local_content "x"
    lull.sleep(0)
    error "outer fails"
  end)
  local places = {}
  lull.on_error(function(_, _, where)
    -- Asks who runs now.
    pcall(function() task:await() end)
    places[#places + 1] = where:match "of (%S+)$"
    return true
  end)
  outer:override_local_content "x"
  spec.turn()
  task:cancel()
  spec.same(places, { inner.url:match "/v1(.*)", outer.url:match "/v1(.*)" })
end)
