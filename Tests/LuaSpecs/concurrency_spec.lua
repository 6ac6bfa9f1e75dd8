-- lull.all, any, map, timeout and wait_until.
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local contains, json = spec.contains, spec.json

-- A service whose answers come after the seconds in the path: /0.01/name; names with "bad" fail.
local function slow()
  local log = {}
  local service = spec.fake(function(request)
    local seconds, name = request.url:match("/([%d.]+)/(%w+)$")
    local _ <close> = setmetatable({}, { __close = function() log[#log + 1] = name end })
    lull.sleep(tonumber(seconds))
    if name:find "bad" then return { status = 500 } end
    return json('"' .. name .. '"')
  end)
  return service, log
end

local function value_of(entity) return entity and entity.content end

local function never() lull.sleep(3600) end

describe("lull.all", function()
  it("gives the results of requests and tasks in the order of the list", function()
    local service = slow()
    local results = assert(lull.all {
      service("/0.02/a"):load(),
      lull.spawn(function() lull.sleep(0.01) return "b", "more" end),
      service("/0/c"):load(),
      lull.spawn(function() return "d" end),
    })
    equal(#results, 4)
    same({ value_of(results[1]), results[2], value_of(results[3]), results[4] }, { "a", "b", "c", "d" })
  end)

  it("of an empty list is an empty list", function() same(lull.all {}, {}) end)

  it("takes requests and tasks that have ended, and the same one twice", function()
    local service = slow()
    local request = service("/0/a"):load()
    local task = lull.spawn(function() return 7 end)
    request:await()
    task:await()
    local results = assert(lull.all { request, task, request, task })
    same({ value_of(results[1]), results[2], value_of(results[3]), results[4] }, { "a", 7, "a", 7 })
  end)

  it("gives nil and the error of the first failure, after cancelling the rest", function()
    local service, log = slow()
    local task = lull.spawn(never)
    local late = service("/30/late"):load()
    local results, err = lull.all { late, service("/0.01/bad"):load(), task }
    equal(results, nil)
    equal(err.http_status, 500)
    equal(late.state, "completed")
    equal(late.response.error.cause.kind, "request_cancelled")
    equal(task.state, "cancelled")
    spec.turn()
    same(log, { "bad", "late" })
  end)

  it("takes a task that returns nil and an error for a failure", function()
    local service = slow()
    local results, err = lull.all {
      lull.spawn(function() return service("/0/bad"):load():await() end), lull.spawn(never),
    }
    equal(results, nil)
    equal(err.http_status, 500)
  end)

  it("gives nil and a cancellation for a cancelled task", function()
    local task = lull.spawn(never)
    task:cancel()
    local results, err = lull.all { task }
    equal(results, nil)
    equal(err.cause.kind, "request_cancelled")
  end)

  it("raises what a task raised, with its value, and cancels the rest", function()
    local other = lull.spawn(never)
    local thrown = { "mine" }
    local ok, value = pcall(lull.all, { other, lull.spawn(function() lull.sleep(0) error(thrown) end) })
    equal(ok, false)
    equal(value, thrown)
    equal(other.state, "cancelled")
    local _, message = pcall(lull.all, { lull.spawn(function() error "kaputt" end) })
    contains(message, "concurrency_spec.lua:")
    contains(message, "kaputt")
  end)

  it("cancels everything when the task that waits in it is cancelled", function()
    local service, log = slow()
    local inner = lull.spawn(never)
    local request = service("/30/a"):load()
    local task = lull.spawn(function() lull.all { inner, request } end)
    spec.turn()
    task:cancel()
    spec.turn()
    equal(inner.state, "cancelled")
    equal(request.state, "completed")
    same(log, { "a" })
  end)

  it("refuses what is no list of requests and tasks", function()
    local task = lull.spawn(function() end)
    for _, case in ipairs {
      { { 1 }, "bad argument #1 to 'all' (element 1 must be a Request or a Task, got number)" },
      { { print }, "got function (lull.spawn makes a task of a function)" },
      { { [1] = task, [3] = task }, "element 2 of the list is missing" },
      { { a = task }, "a list of requests and tasks expected, got a table with the key 'a'" },
      { nil, "table expected, got nil" },
    } do
      local ok, message = pcall(lull.all, case[1])
      equal(ok, false)
      contains(message, case[2])
    end
    task:await()
  end)

  it("says what would wait for itself", function()
    local outer
    outer = lull.spawn(function() return lull.all { lull.spawn(function() return outer:await() end) } end)
    local ok, message = pcall(outer.await, outer)
    equal(ok, false)
    contains(message, "this would wait for itself")
  end)

  it("keeps results of tasks nobody else holds", function()
    local list = {}
    for i = 1, 50 do list[i] = lull.spawn(function() lull.sleep(0) return { i } end) end
    lull.spawn(function() for _ = 1, 5 do collectgarbage() lull.sleep(0) end end)
    local results = lull.all(list)
    for i = 1, 50 do same(results[i], { i }) end
  end)
end)

describe("lull.any", function()
  it("gives the first success and cancels the others", function()
    local service, log = slow()
    local task = lull.spawn(never)
    local first = assert(lull.any { service("/30/late"):load(), task, service("/0.01/quick"):load() })
    equal(first.content, "quick")
    equal(task.state, "cancelled")
    spec.turn()
    same(log, { "quick", "late" })
  end)

  it("passes over failures", function()
    local service = slow()
    equal(lull.any { service("/0/bad"):load(), lull.spawn(function() lull.sleep(0.02) return 5 end) }, 5)
  end)

  it("gives nil and the first error if all fail", function()
    local service = slow()
    local cancelled = lull.spawn(never)
    cancelled:cancel()
    local result, err = lull.any { service("/0.01/bad"):load(), service("/0/bad2"):load() }
    equal(result, nil)
    contains(err.url, "bad2")
    local none, other = lull.any { cancelled }
    equal(none, nil)
    equal(other.cause.kind, "request_cancelled")
  end)

  it("raises an error of a task if nothing succeeds", function()
    local service = slow()
    local ok, message = pcall(lull.any, {
      service("/0/bad"):load(), lull.spawn(function() lull.sleep(0.01) error "kaputt" end),
    })
    equal(ok, false)
    contains(message, "kaputt")
  end)

  it("leaves an error in a task that lost to be reported", function()
    do
      local loser = lull.spawn(function() error "lost" end)
      equal(lull.any { loser, lull.spawn(function() lull.sleep(0.01) return 1 end) }, 1)
      loser = nil -- luacheck: ignore
    end
    for _ = 1, 4 do spec.collect() end
    local reports = spec.reports()
    equal(#reports, 1)
  end)

  it("refuses an empty list", function()
    contains(select(2, pcall(lull.any, {})), "the list is empty: nothing could succeed")
  end)
end)

describe("lull.map", function()
  it("gives results in the order of the list, whatever the order of ends", function()
    local results = lull.map({ 5, 1, 3, 2, 4 }, function(n)
      lull.sleep(n / 500)
      return n * 10, "ignored"
    end)
    same(results, { 50, 10, 30, 20, 40 })
  end)

  it("runs no more than 'concurrency' calls at once, and that many", function()
    for _, concurrency in ipairs { 1, 3, 100 } do
      local running, most = 0, 0
      local items = {}
      for i = 1, 10 do items[i] = i end
      lull.map(items, function()
        running = running + 1
        most = math.max(most, running)
        lull.sleep(0)
        running = running - 1
      end, { concurrency = concurrency })
      equal(most, math.min(concurrency, 10))
      equal(running, 0)
    end
    local most, running = 0, 0
    local items = {}
    for i = 1, 20 do items[i] = i end
    lull.map(items, function()
      running = running + 1
      most = math.max(most, running)
      lull.sleep(0)
      running = running - 1
    end)
    equal(most, 8)
  end)

  it("takes functions that do not wait, and an empty list", function()
    same(lull.map({ 1, 2, 3 }, function(n) return n + 1 end), { 2, 3, 4 })
    same(lull.map({}, function() error "never called" end), {})
    same(lull.map({ false, "x" }, function(v) return v end), { false, "x" })
  end)

  it("hands the element alone to the function", function()
    same(lull.map({ "a" }, function(...) return select("#", ...) end), { 1 })
  end)

  it("raises the first error, and cancels the other calls and begins no more", function()
    local begun, after = 0, false
    local ok, message = pcall(lull.map, { 1, 2, 3, 4, 5 }, function(n)
      begun = begun + 1
      if n == 2 then
        lull.sleep(0)
        error "kaputt"
      end
      lull.sleep(3600)
      after = true
    end, { concurrency = 3 })
    equal(ok, false)
    contains(message, "concurrency_spec.lua:")
    contains(message, "kaputt")
    equal(begun, 3)
    equal(after, false)
  end)

  it("gives nil and the error where a call returns them, cancelling the rest", function()
    local service, log = slow()
    local results, err = lull.map({ "/30/late", "/0.01/bad", "/0/ok" }, function(path)
      return service(path):load():await()
    end)
    equal(results, nil)
    equal(err.http_status, 500)
    spec.turn()
    same(log, { "ok", "bad", "late" })
  end)

  it("takes nil and any error for a failure, as lull.read_file and others return it", function()
    local list, err = lull.map({ 1, 2 }, function(n) if n == 2 then return nil, "no 2" end return n end)
    equal(list, nil)
    equal(err, "no 2")
    local all, other = lull.all { lull.spawn(function() return nil, { code = 7 } end) }
    equal(all, nil)
    equal(other.code, 7)
    equal(lull.any { lull.spawn(function() return nil, "no" end), lull.spawn(function() return 5 end) }, 5)
    same({ lull.any { lull.spawn(function() return nil, "no" end) } }, { nil, "no" })
  end)

  it("is cancelled with its task, down to the requests", function()
    local service, log = slow()
    local task = lull.spawn(function()
      lull.map({ "/30/a", "/30/b" }, function(path) return service(path):load():await() end)
    end)
    spec.turn()
    spec.turn()
    task:cancel()
    spec.turn()
    table.sort(log)
    same(log, { "a", "b" })
  end)

  it("ends tasks that its function has started", function()
    local tasks = {}
    lull.map({ 1, 2 }, function(n)
      tasks[n] = lull.spawn(never)
      lull.sleep(0)
    end)
    equal(tasks[1].state, "cancelled")
    equal(tasks[2].state, "cancelled")
  end)

  it("over 10,000 elements keeps order", function()
    local items = {}
    for i = 1, 10000 do items[i] = i end
    local results = lull.map(items, function(i)
      if i % 3 == 0 then lull.sleep(0) end
      return -i
    end)
    equal(#results, 10000)
    for i = 1, 10000 do equal(results[i], -i) end
  end, { seconds = 30 })

  it("works inside a coroutine of the script's own, and inside itself", function()
    local step = coroutine.wrap(function()
      coroutine.yield(lull.map({ 1, 2 }, function(n)
        return lull.map({ n, n * 10 }, function(m) lull.sleep(0) return m end)
      end))
    end)
    same(step(), { { 1, 10 }, { 2, 20 } })
  end)

  it("refuses what it does not understand", function()
    local fn = function() end
    for _, case in ipairs {
      { { 1, fn }, "bad argument #1 to 'map' (table expected, got number)" },
      { { {}, 1 }, "bad argument #2 to 'map' (function expected, got number)" },
      { { {}, fn, { concurency = 2 } }, "unknown setting 'concurency' (did you mean 'concurrency'?)" },
      { { {}, fn, { concurrency = 0 } }, "'concurrency' must be a whole number, 1 or more, got 0" },
      { { {}, fn, { concurrency = "many" } }, "'concurrency' must be a whole number" },
    } do
      local ok, message = pcall(lull.map, table.unpack(case[1]))
      equal(ok, false)
      contains(message, case[2])
    end
  end)

  it("must not be called where nothing can wait", function()
    local message
    local service = spec.fake(json "1")
    service:configure("/**", function() message = select(2, pcall(lull.map, { 1 }, print)) end)
    service:configuration_for(service("/a"))
    contains(message, "cannot wait inside a configure function: it must return at once")
  end)
end)

describe("lull.timeout", function()
  it("gives the results of the function", function()
    same(table.pack(lull.timeout(5, function() lull.sleep(0) return 1, nil, 3 end)), { 1, nil, 3, n = 3 })
    equal(select("#", lull.timeout(5, function() end)), 0)
  end)

  it("gives nil and an error of kind timeout when the time is over", function()
    local after = false
    local closed
    local value, err = lull.timeout(0.01, function()
      local _ <close> = setmetatable({}, { __close = function() closed = true end })
      pcall(lull.sleep, 3600)
      after = true
    end)
    equal(value, nil)
    equal(err.cause.kind, "timeout")
    contains(tostring(err), "lull.timeout: not finished after 0.01 s")
    equal(closed, true)
    equal(after, false)
  end)

  it("cancels the request the function waits for, and the tasks it started", function()
    local service, log = slow()
    local task
    local _, err = lull.timeout(0.01, function()
      task = lull.spawn(never)
      return service("/30/a"):load():await()
    end)
    equal(err.cause.kind, "timeout")
    equal(task.state, "cancelled")
    spec.turn()
    same(log, { "a" })
  end)

  it("ends the tasks of its function when that returns", function()
    local task
    equal(lull.timeout(5, function() task = lull.spawn(never) lull.sleep(0) return "done" end), "done")
    equal(task.state, "cancelled")
  end)

  it("raises what the function raises", function()
    local thrown = {}
    equal(select(2, pcall(lull.timeout, 5, function() error(thrown) end)), thrown)
    local _, message = pcall(lull.timeout, 5, function() lull.sleep(0) error "kaputt" end)
    contains(message, "kaputt")
  end)

  it("may stand inside another, and the shorter one ends first", function()
    local outer, err = lull.timeout(0.01, function()
      return lull.timeout(3600, never)
    end)
    equal(outer, nil)
    contains(tostring(err), "0.01 s")
    local value, other = lull.timeout(3600, function() return lull.timeout(0.01, never) end)
    equal(value, nil)
    contains(tostring(other), "0.01 s")
  end)

  it("refuses what is no number of seconds", function()
    for _, bad in ipairs { -1, 0 / 0, math.huge } do
      contains(select(2, pcall(lull.timeout, bad, print)), "a number of seconds, 0 or more, expected")
    end
    contains(select(2, pcall(lull.timeout, 1)), "bad argument #2 to 'timeout' (function expected")
  end)
end)

describe("lull.wait_until", function()
  it("calls the function until it gives something true, and gives that", function()
    local calls = 0
    local state, number = lull.wait_until(function()
      calls = calls + 1
      lull.sleep(0)
      return calls == 4 and "ready", calls
    end, { every = 0.001 })
    equal(state, "ready")
    equal(number, 4)
    equal(calls, 4)
  end)

  it("calls at once, and not again if that is enough", function()
    local calls = 0
    equal(lull.wait_until(function() calls = calls + 1 return true end, { every = 3600 }), true)
    equal(calls, 1)
  end)

  it("gives nil and an error of kind timeout", function()
    local value, err = lull.wait_until(function() return false end, { every = 0.002, timeout = 0.02 })
    equal(value, nil)
    equal(err.cause.kind, "timeout")
    local other, second = lull.wait_until(never, { timeout = 0.01 })
    equal(other, nil)
    equal(second.cause.kind, "timeout")
  end)

  it("raises what the function raises", function()
    contains(select(2, pcall(lull.wait_until, function() error "kaputt" end)), "kaputt")
  end)

  it("stops when its task is cancelled", function()
    local calls = 0
    local task = lull.spawn(function()
      lull.wait_until(function() calls = calls + 1 end, { every = 0.001 })
    end)
    lull.sleep(0.01)
    task:cancel()
    local before = calls
    lull.sleep(0.01)
    equal(calls, before)
  end)

  it("refuses what it does not understand", function()
    for _, case in ipairs {
      { { 1 }, "bad argument #1 to 'wait_until' (function expected, got number)" },
      { { print, { evry = 1 } }, "unknown setting 'evry' (did you mean 'every'?)" },
      { { print, { every = -1 } }, "'every': a number of seconds, 0 or more, expected, got -1" },
    } do
      contains(select(2, pcall(lull.wait_until, table.unpack(case[1]))), case[2])
    end
  end)
end)

describe("the helpers for concurrency", function()
  it("work in the main chunk", function()
    local result = spec.script [[
      local lull = require "lull"
      local function later(v) return lull.spawn(function() lull.sleep(0.005) return v end) end
      print(table.concat(lull.all{ later(1), later(2) }, " "))
      print(lull.any{ later("first"), lull.spawn(function() lull.sleep(60) end) })
      print(table.concat(lull.map({ 1, 2, 3 }, function(n) lull.sleep(0.001) return n * n end), " "))
      print(select(2, lull.timeout(0.01, function() lull.sleep(60) end)).cause.kind)
      print(lull.wait_until(function() return "done" end))
      print(pcall(lull.map, { 1 }, function() error("kaputt", 0) end))
    ]]
    contains(result.out, "1 2\nfirst\n1 4 9\ntimeout\ndone\nfalse\tkaputt")
    equal(result.err, "")
    equal(result.code, 0)
  end)

  it("leave nothing behind", function()
    local weak = setmetatable({}, { __mode = "k" })
    local function ballast() local t = {} weak[t] = true return t end
    for _ = 1, 10 do
      local one, two, three = ballast(), ballast(), ballast()
      lull.map({ one }, function(item) return item, two end)
      lull.all { lull.spawn(function() return three end) }
      lull.timeout(0.001, function() local _ = one lull.sleep(60) end)
      lull.wait_until(function() return two end)
      pcall(lull.map, { one }, function(item) error(item) end)
    end
    for _ = 1, 6 do spec.collect() end
    equal(next(weak), nil)
  end)
end)
