-- Tasks, sleep and run.
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local contains, json = spec.contains, spec.json

describe("a task", function()
  it("gives its function's arguments and results, nils included", function()
    local task = lull.spawn(function(...) return select("#", ...), ... end, 1, nil, "x", nil)
    equal(task.state, "running")
    same(table.pack(task:await()), table.pack(4, 1, nil, "x", nil))
    equal(task.state, "finished")
    same(table.pack(task:await()), table.pack(4, 1, nil, "x", nil))
  end)

  it("begins after spawn has returned", function()
    local began = false
    local task = lull.spawn(function() began = true end)
    equal(began, false)
    task:await()
    equal(began, true)
  end)

  it("runs beside others", function()
    local started = lull.now()
    local tasks, order = {}, {}
    for i = 1, 20 do
      tasks[i] = lull.spawn(function()
        lull.sleep((0.1 - i * 0.004) * spec.slowness)
        order[#order + 1] = i
        return i
      end)
    end
    for i = 1, 20 do equal(tasks[i]:await(), i) end
    check(lull.now() - started < 0.5 * spec.slowness)
    equal(order[1], 20)
    equal(order[20], 1)
  end)

  it("raises its error again where it is awaited", function()
    local function deep() error("kaputt") end
    local task = lull.spawn(function()
      lull.sleep(0)
      deep()
    end)
    local ok, message = pcall(task.await, task)
    equal(ok, false)
    contains(message, "tasks_spec.lua")
    contains(message, "kaputt")
    check(not message:find("\n"), "no more than what was raised")
    equal(task.state, "failed")
    ok = pcall(task.await, task)
    equal(ok, false)
  end)

  it("raises an error value as it is", function()
    local value = { code = 7 }
    local ok, raised = pcall(function() lull.spawn(function() error(value) end):await() end)
    equal(ok, false)
    check(rawequal(raised, value))
    ok = pcall(function() lull.spawn(function() error() end):await() end)
    equal(ok, false)
    local err = lull.error("no")
    ok, raised = pcall(function() lull.spawn(function() error(err) end):await() end)
    equal(ok, false)
    equal(raised.user_message, "no")
  end)

  it("that nobody awaits reports its error", function()
    local function spawn() lull.spawn(function() error("unheard") end) end
    spawn()
    spec.turn()
    spec.collect()
    spec.turn()
    local reports = spec.reports()
    equal(#reports, 1)
    contains(reports[1].message, "unheard")
    contains(reports[1].traceback, "tasks_spec.lua")
  end)

  it("that cancels is cut short: nothing after the wait runs, <close> does, pcall sees nothing", function()
    local steps = {}
    local task = lull.spawn(function()
      local _ <close> = setmetatable({}, { __close = function() steps[#steps + 1] = "closed" end })
      local ok = pcall(function()
        steps[#steps + 1] = "waits"
        lull.sleep(10)
        steps[#steps + 1] = "after"
      end)
      steps[#steps + 1] = "pcall " .. tostring(ok)
    end)
    spec.turn()
    equal(task:cancel(), task)
    equal(task.state, "cancelled")
    same(steps, { "waits", "closed" })
    local result, err = task:await()
    equal(result, nil)
    equal(err.cause.kind, "request_cancelled")
    task:cancel()
    equal(task.state, "cancelled")
  end)

  it("that is cancelled cancels the request it waits for", function()
    local resource = spec.held()("/a")
    local request = resource:load()
    local task = lull.spawn(function() request:await() end)
    spec.turn()
    task:cancel()
    equal(request.state, "completed")
    local _, err = request:await()
    equal(err.cause.kind, "request_cancelled")
  end)

  it("cancelled before it began runs nothing", function()
    local task = lull.spawn(spec.never())
    task:cancel()
    local _, err = task:await()
    equal(err.cause.kind, "request_cancelled")
  end)

  it("that cancels itself ends at its next wait", function()
    local steps, task = {}, nil
    task = lull.spawn(function()
      task:cancel()
      steps[#steps + 1] = "still here"
      lull.sleep(0)
      steps[#steps + 1] = "after"
    end)
    task:await()
    same(steps, { "still here" })
    equal(task.state, "cancelled")
  end)

  it("that is cancelled when finished stays finished", function()
    local task = lull.spawn(function() return 1 end)
    equal(task:await(), 1)
    task:cancel()
    equal(task.state, "finished")
    equal(task:await(), 1)
  end)

  it("that is cancelled wakes up everybody who awaits it", function()
    local task = lull.spawn(function() lull.sleep(10) end)
    local waiters = {}
    for i = 1, 3 do waiters[i] = lull.spawn(function() return select(2, task:await()).cause.kind end) end
    spec.turn()
    task:cancel()
    for i = 1, 3 do equal(waiters[i]:await(), "request_cancelled") end
  end)

  it("that waits for a task is cancelled together with it", function()
    local inner = lull.spawn(function() lull.sleep(10) end)
    local outer = lull.spawn(function() inner:await() end)
    spec.turn()
    outer:cancel()
    equal(outer.state, "cancelled")
    equal(inner.state, "cancelled", "what it waits for is cancelled")
  end)

  it("must not wait in a <close> handler when it is cancelled", function()
    local task = lull.spawn(function()
      local _ <close> = setmetatable({}, { __close = function() lull.sleep(0.01) end })
      lull.sleep(10)
    end)
    spec.turn()
    pcall(task.cancel, task)
    spec.turn()
    check(task.state ~= "running")
    spec.reports()
  end)

  it("cannot await itself", function()
    local task
    task = lull.spawn(function() return pcall(task.await, task) end)
    local ok, message = task:await()
    equal(ok, false)
    contains(message, "wait for itself")
  end)

  it("two that await each other raise, rather than hang", function()
    local one, two
    one = lull.spawn(function() return pcall(function() return two:await() end) end)
    two = lull.spawn(function() return pcall(function() return one:await() end) end)
    lull.sleep(0.05)
    local stuck = one.state == "running" and two.state == "running"
    one:cancel()
    two:cancel()
    equal(stuck, false, "both wait for ever")
  end)

  it("keeps running though nobody holds it", function()
    local done = false
    local function spawn()
      lull.spawn(function()
        lull.sleep(0.02)
        done = true
      end)
    end
    spawn()
    spec.collect()
    lull.sleep(0.05)
    equal(done, true)
  end)

  it("has a readable text", function()
    local task = lull.spawn(function() return 1 end)
    contains(tostring(task), "Task(")
    task:await()
    contains(tostring(task), "finished")
  end)

  it("needs a function", function()
    spec.raises("'spawn'", function() lull.spawn(7) end)
    spec.raises("'spawn'", function() lull.spawn() end)
  end)

  it("is one of 10,000", function()
    local tasks = {}
    for i = 1, 10000 do tasks[i] = lull.spawn(function() lull.sleep(0) return i end) end
    local sum = 0
    for i = 1, 10000 do sum = sum + tasks[i]:await() end
    equal(sum, 50005000)
  end)

  it("may spawn tasks of its own, 1,000 deep", function()
    local function nest(n)
      if n == 0 then return 0 end
      return 1 + lull.spawn(nest, n - 1):await()
    end
    equal(nest(1000), 1000)
  end)
end)

describe("sleep", function()
  it("takes about as long as it says", function()
    local started = lull.now()
    lull.sleep(0.05)
    local seconds = lull.now() - started
    equal(seconds >= 0.05 and seconds < 10, true)
  end)

  it("wakes in order", function()
    local order = {}
    for _, seconds in ipairs { 0.03, 0.01, 0.02, 0 } do
      lull.spawn(function()
        lull.sleep(seconds)
        order[#order + 1] = seconds
      end)
    end
    lull.sleep(0.06)
    same(order, { 0, 0.01, 0.02, 0.03 })
  end)

  it("takes a number of seconds that is not negative", function()
    spec.raises("'sleep'", function() lull.sleep("soon") end)
    spec.raises("'sleep'", function() lull.sleep(-1) end)
    spec.raises("'sleep'", function() lull.sleep(0 / 0) end)
    spec.raises("'sleep'", function() lull.sleep() end)
  end)
end)

describe("lull.run", function()
  it("ends when nothing strong is left; a bare observer does not keep it", function()
    local result = spec.script [[
      local lull = require "lull"
      local service = lull.service { base_url = "http://x.test", networking = function()
        lull.sleep(0.02)
        return { status = 200 }
      end }
      local has_come = false
      service("/a"):add_observer(function(_, event)
        print(event)
        has_come = event == "new_data"
      end)
      service("/a"):load()
      lull.spawn(function()
        repeat lull.sleep(0.01) until has_come
        print "task"
      end)
      lull.run()
      print "end"
    ]]
    equal(result.out, "observer_added\nrequested\nnew_data\ntask\nend\n")
    equal(result.err, "")
    equal(result.code, 0)
  end)

  it("runs the function given, and what that has started", function()
    local result = spec.script [[
      local lull = require "lull"
      local ok, message = pcall(lull.run, function() lull.sleep(0.01) print "ran" end)
      print(ok or message)
    ]]
    equal(result.out, "ran\ntrue\n")
  end)

  it("inside a task, a scope or a request waits for all but what waits for that", function()
    local result = spec.script [[
      local lull = require "lull"
      local function idle() lull.run() return "idle" end
      print(lull.timeout(5, idle))
      print(table.unpack(lull.map({ 1, 2, 3 }, idle)))
      local first = lull.spawn(idle)
      local second = lull.spawn(function() return (first:await()) end)
      lull.spawn(function() lull.sleep(0.02) print "slept" end)
      print(second:await())
      local one, other = lull.spawn(idle), lull.spawn(idle)
      print(table.unpack(lull.all { one, other }))
      local service = lull.service { base_url = "http://x.test", networking = function()
        lull.run()
        return { status = 200, text = "answered" }
      end }
      print(service("/a"):load():await().content)
    ]]
    equal(result.out, "idle\nidle\tidle\tidle\nslept\nidle\nidle\tidle\nanswered\n")
    equal(result.err, "")
    equal(result.code, 0)
  end)
end)

describe("await", function()
  it("gives nil and the error for a failure", function()
    local entity, err = spec.fake(json("{}", nil, 500))("/a"):load():await()
    equal(entity, nil)
    equal(err.http_status, 500)
  end)

  it("in a hook, an observer and a transformer suspends only that", function()
    local service = spec.fake(json "1")
    local resource, order = service("/a"), {}
    resource:observe(function(_, event)
      if event ~= "new_data" then return end
      service("/b"):load():await()
      order[#order + 1] = "observer"
    end)
    resource:load():on_success(function()
      service("/c"):load():await()
      order[#order + 1] = "hook"
    end):await()
    order[#order + 1] = "main"
    lull.sleep(0.02)
    table.sort(order)
    same(order, { "hook", "main", "observer" })
  end)

  it("in a hook of the same request gives its result", function()
    local request = spec.fake(json "17")("/a"):load()
    request:on_success(spec.expect(function() equal(request:await().content, 17) end))
    request:await()
    spec.turn()
  end)
end)
