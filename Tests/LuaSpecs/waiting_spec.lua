-- Where waiting is possible, and what it raises where it is not.
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local contains, json = spec.contains, spec.json

-- The errors of every way to wait.
local function wait_here(service)
  local task = lull.spawn(function() lull.sleep(0.01) end)
  local request = service("/other"):load()
  local messages = {}
  for i, wait in ipairs {
    function() lull.sleep(0) end, function() request:await() end, function() task:await() end,
  } do
    local ok, message = pcall(wait)
    messages[i] = ok and "it waited" or tostring(message)
  end
  return messages
end

local function refuses(kind, messages)
  equal(#messages, 3, "it was not called")
  for _, message in ipairs(messages) do
    contains(message, "cannot wait inside a " .. kind .. ": it must return at once")
    contains(message, "waiting_spec.lua:", "the place")
  end
end

describe("waiting raises in", function()
  it("a configure function", function()
    local messages = {}
    local service = spec.fake(json "1")
    local other = spec.fake(json "1")
    service:configure("/**", function() messages = wait_here(other) end)
    service:configuration_for(service("/a"))
    refuses("configure function", messages)
  end)

  it("a predicate", function()
    local messages = {}
    local service, other = spec.fake(json "1"), spec.fake(json "1")
    service:configure(function()
      messages = wait_here(other)
      return true
    end, {})
    service:configuration_for(service("/a"))
    refuses("predicate", messages)
  end)

  it("a mutation, configured or ad hoc", function()
    local messages, others = {}, {}
    local service, other = spec.fake(json "1"), spec.fake(json "1")
    service:configure { mutate_requests = function() messages = wait_here(other) end }
    service("/a"):get(nil, function() others = wait_here(other) end):await()
    refuses("mutation", messages)
    refuses("mutation", others)
  end)

  it("a log handler", function()
    local messages = {}
    local service, other = spec.fake(json "1"), spec.fake(json "1")
    lull.log.handler = function()
      if #messages == 0 then messages = wait_here(other) end
    end
    lull.log.enabled = "network"
    service("/a"):load():await()
    lull.log.enabled = {}
    refuses("log handler", messages)
  end)

  it("a handler of lull.on_error", function()
    local messages = {}
    local other = spec.fake(json "1")
    lull.on_error(function()
      messages = wait_here(other)
      return true
    end)
    spec.fake(json "1")("/a"):add_observer(function() error("no") end)
    spec.turn()
    equal(#messages, 3)
    for _, message in ipairs(messages) do contains(message, "it must return at once") end
  end)

  it("a comparison of table.sort", function()
    local service = spec.fake(json "1")
    local messages = {}
    table.sort({ 3, 1, 2 }, function(a, b)
      messages = wait_here(service)
      return a < b
    end)
    equal(#messages, 3)
    for _, message in ipairs(messages) do
      contains(message, "cannot wait")
      contains(message, "table.sort")
      contains(message, "waiting_spec.lua:")
    end
  end)

  it("a replacement of string.gsub", function()
    local message
    string.gsub("x", "x", function() message = select(2, pcall(lull.sleep, 0)) end)
    equal(message, "cannot wait inside string.gsub, which cannot be suspended: wait before calling it")
  end)

  it("a finaliser", function()
    local message
    local function make()
      setmetatable({}, { __gc = function() message = select(2, pcall(lull.sleep, 0)) end })
    end
    make()
    spec.collect()
    equal(message, "cannot wait inside a finaliser (__gc): start a task with lull.spawn instead")
  end)

  it("the top level of a module that is required", function()
    package.preload["waiting_spec.module"] = function() lull.sleep(0) end
    local ok, message = pcall(require, "waiting_spec.module")
    package.preload["waiting_spec.module"] = nil
    equal(ok, false)
    contains(
      message, "cannot wait while a module is loaded by require: wait in a function that it returns")
  end)

  it("a function that load reads from", function()
    local _, chunk, message = pcall(load, function() lull.sleep(0) end)
    equal(chunk, nil)
    contains(message, "cannot wait inside a function that load reads from: collect the text first")
  end)

  it("a __tostring that is called from C", function()
    local object = setmetatable({}, { __tostring = function() lull.sleep(0) return "" end })
    contains(select(2, pcall(tostring, object)), "cannot wait inside tostring, which")
  end)
end)

describe("a coroutine of the script's own", function()
  it("makes requests, hooks and observers as anywhere", function()
    local resource = spec.fake(json "17")("/a")
    local request
    local generator = coroutine.wrap(function()
      resource:observe(spec.expect(3))
      request = resource:load():on_success(spec.expect(1))
      coroutine.yield("mine")
      return "done"
    end)
    equal(generator(), "mine")
    equal(generator(), "done")
    request:await()
    spec.turn()
  end)

  it("works as a generator in a task", function()
    local function numbers()
      return coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
    end
    local seen = lull.spawn(function()
      local list = {}
      for i in numbers() do
        list[#list + 1] = i
        lull.sleep(0)
      end
      return list
    end):await()
    same(seen, { 1, 2, 3 })
  end)

  it("a yield of the script's own in a callback is an error, and nothing hangs", function()
    local resource = spec.fake(json "1")("/a")
    resource:load():on_success(function() coroutine.yield("what?") end):await()
    spec.turn()
    equal(#spec.reports(), 1)
    local ok, message = pcall(function() lull.spawn(function() coroutine.yield(1) end):await() end)
    equal(ok, false)
    contains(message, "yield")
  end)

  it("a yield of the script's own in a transformer fails its request", function()
    local service = spec.fake(json "1"):transform(function() coroutine.yield(1) return 1 end)
    local _, err = service("/a"):load():await()
    equal(err.cause.kind, "script_error")
    spec.reports()
  end)
end)

describe("waiting works", function()
  it("across pcall, xpcall, metamethods, iterators and goto", function()
    local service = spec.fake(json "1")
    local object = setmetatable({}, {
      __index = function(_, key) return assert(service("/" .. key):load():await()).content end,
      __call = function() lull.sleep(0) return "called" end,
      __close = function() lull.sleep(0) end,
    })
    equal(object.a, 1)
    equal(object(), "called")
    do local _ <close> = object end
    equal(select(2, pcall(function() lull.sleep(0) return 5 end)), 5)
    equal(select(2, xpcall(function() lull.sleep(0) return 6 end, debug.traceback)), 6)
    local count = 0
    for i in function(_, i) lull.sleep(0) if i < 3 then return i + 1 end end, nil, 0 do count = i end
    equal(count, 3)
  end)

  it("in the main chunk", function()
    local result = spec.script [[
      local lull = require "lull"
      local service = lull.service { base_url = "http://x.test", networking = function()
        lull.sleep(0.01)
        return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "17" }
      end }
      print(service("/a"):load():await().content)
      print(select("#", lull.sleep(0.01)))
      print(lull.spawn(function() return 1, 2 end):await())
      print(pcall(function() lull.spawn(function() error("kaputt", 0) end):await() end))
    ]]
    contains(result.out, "17\n0\n1\t2\nfalse\tkaputt")
    equal(result.err, "")
    equal(result.code, 0)
  end)

  it("in a coroutine of the main chunk, of a stock interpreter too", function()
    local result = spec.script [[
      local lull = require "lull"
      local service = lull.service { base_url = "http://x.test", networking = function()
        lull.sleep(0.01)
        return { status = 200, headers = { ["Content-Type"] = "text/plain" }, body = "17" }
      end }
      local items = coroutine.wrap(function()
        for i = 1, 3 do
          lull.sleep(0)
          coroutine.yield(i .. service("/a"):load():await().text)
        end
      end)
      for item in items do io.write(item, " ") end
    ]]
    equal(result.out, "117 217 317 ")
    equal(result.err, "")
    equal(result.code, 0)
  end)
end)

describe("waiting is each waiter's own:", function()
  -- A load under way, what answers it, and tasks that wait for it.
  local function shared(count)
    local service, held = spec.held()
    local resource = service("/a")
    local tasks, ends = {}, {}
    for i = 1, count do
      tasks[i] = lull.spawn(function()
        local entity, err = resource:load_if_needed():await()
        ends[i] = entity and entity.content or err.cause.kind
      end)
    end
    spec.turn()
    return resource, tasks, ends, function()
      held[1](json "17")
      spec.turn()
      spec.turn()
    end
  end

  it("WAIT-08 of two tasks one is cancelled, and the other gets the entity", function()
    local resource, tasks, ends, answer = shared(2)
    tasks[1]:cancel()
    equal(tasks[1].state, "cancelled")
    equal(resource.is_loading, true)
    answer()
    same(ends, { nil, 17 })
  end)

  it("WAIT-08 the last one to leave cancels the load, observed or not", function()
    local resource, tasks, ends = shared(2)
    resource:observe(function() end)
    tasks[2]:cancel()
    equal(resource.is_loading, true)
    tasks[1]:cancel()
    equal(resource.is_loading, false)
    same(ends, {})
  end)

  it("WAIT-08 lull.timeout ends the wait it is around", function()
    local resource, _, ends, answer = shared(1)
    local load = resource.load_requests[1]
    local _, err = lull.timeout(0.01, function() return load:await() end)
    equal(err.cause.kind, "timeout")
    equal(resource.is_loading, true)
    answer()
    equal(ends[1], 17)
  end)

  it("WAIT-08 lull.any leaves a request that others wait for", function()
    local resource, _, ends, answer = shared(1)
    local load = resource.load_requests[1]
    local quick = spec.fake(json "3")("/b"):load()
    equal(lull.any { load, quick }.content, 3)
    equal(resource.is_loading, true)
    answer()
    equal(ends[1], 17)
  end)

  it("WAIT-08 lull.all that fails leaves a request that others wait for", function()
    local resource, _, ends, answer = shared(1)
    local load = resource.load_requests[1]
    local bad = spec.fake { status = 500 }("/b"):load()
    local _, err = lull.all { load, load, bad }
    equal(err.http_status, 500)
    equal(resource.is_loading, true)
    answer()
    equal(ends[1], 17)
  end)

  it("WAIT-08 cancelling the request ends it for all", function()
    local resource, _, ends = shared(2)
    resource.load_requests[1]:cancel()
    spec.turn()
    spec.turn()
    same(ends, { "request_cancelled", "request_cancelled" })
  end)

  it("WAIT-08 what nobody waits for any more holds nothing", function()
    local resource, tasks, _, answer = shared(3)
    local before = lull.stats().pins
    tasks[1]:cancel()
    tasks[2]:cancel()
    spec.turn()
    equal(lull.stats().pins <= before, true)
    answer()
    equal(resource.is_loading, false)
  end)
end)
