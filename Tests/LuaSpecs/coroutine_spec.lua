-- Coroutines of the script's own: the stock functions, and waiting through them.
local lull = require "lull"
local spec = ...
local describe, it, equal, same = spec.describe, spec.it, spec.equal, spec.same
local contains, json = spec.contains, spec.json

local function noting(list, word)
  return setmetatable({}, { __close = function() list[#list + 1] = word end })
end

describe("coroutine.wrap", function()
  it("makes a generator that awaits twice per item", function()
    local service = spec.fake(function(request) return json('"' .. request.url:match("%w+$") .. '"') end)
    local function items(names)
      return coroutine.wrap(function()
        for _, name in ipairs(names) do
          local one = assert(service("/" .. name):load():await()).content
          local two = assert(service("/" .. name .. "2"):load():await()).content
          coroutine.yield(one, two)
        end
      end)
    end
    local seen = {}
    for one, two in items { "a", "b", "c" } do seen[#seen + 1] = one .. two end
    same(seen, { "aa2", "bb2", "cc2" })
  end)

  it("waits through generators inside generators", function()
    local function count(n, depth)
      return coroutine.wrap(function()
        if depth > 0 then
          for i in count(n, depth - 1) do coroutine.yield(i) end
        else
          for i = 1, n do
            lull.sleep(0)
            coroutine.yield(i)
          end
        end
      end)
    end
    local sum = 0
    for i in count(4, 20) do sum = sum + i end
    equal(sum, 10)
  end)

  it("raises what was raised after a wait, with the caller's place, once", function()
    local step = coroutine.wrap(function()
      lull.sleep(0)
      error "kaputt"
    end)
    local function call() local value = step() return value end
    local ok, message = pcall(call)
    equal(ok, false)
    contains(message, "coroutine_spec.lua:")
    contains(message, "kaputt")
    contains(select(2, pcall(call)), "cannot resume dead coroutine")
    local value = {}
    equal(select(2, pcall(coroutine.wrap(function() lull.sleep(0) error(value) end))), value)
  end)

  it("closes to-be-closed variables when it fails after a wait", function()
    local closed = {}
    pcall(coroutine.wrap(function()
      local _ <close> = noting(closed, "closed")
      lull.sleep(0)
      error "kaputt"
    end))
    same(closed, { "closed" })
  end)

  it("is not yieldable around a wait where something cannot be suspended further out", function()
    local message
    table.sort({ 2, 1 }, function(a, b)
      coroutine.wrap(function() message = select(2, pcall(lull.sleep, 0)) end)()
      return a < b
    end)
    equal(message, "cannot wait inside table.sort, which cannot be suspended: wait before calling it")
  end)
end)

describe("coroutine.resume", function()
  it("hands values in and out around waits", function()
    local thread = coroutine.create(function(a, b)
      lull.sleep(0)
      local c = coroutine.yield(a + b)
      lull.sleep(0)
      local d, e = coroutine.yield(c)
      return d, e, nil
    end)
    same({ coroutine.resume(thread, 1, 2) }, { true, 3 })
    same({ coroutine.resume(thread, "c") }, { true, "c" })
    same(table.pack(coroutine.resume(thread, "d", "e")), { true, "d", "e", nil, n = 4 })
    same({ coroutine.resume(thread) }, { false, "cannot resume dead coroutine" })
  end)

  it("returns errors raised before and after a wait", function()
    local early = coroutine.create(function() error("early", 0) end)
    same({ coroutine.resume(early) }, { false, "early" })
    local late = coroutine.create(function() lull.sleep(0) error("late", 0) end)
    same({ coroutine.resume(late) }, { false, "late" })
    equal(coroutine.status(late), "dead")
    same({ coroutine.close(late) }, { false, "late" })
  end)

  it("carries an error out of a wait to where it was raised", function()
    local task = lull.spawn(function() lull.sleep(0) error("of the task", 0) end)
    local thread = coroutine.create(function() return pcall(task.await, task) end)
    local resumed, ok, message = coroutine.resume(thread)
    equal(resumed, true)
    equal(ok, false)
    contains(message, "of the task")
  end)

  it("refuses a coroutine that waits in another task, and itself", function()
    local thread = coroutine.create(function()
      lull.sleep(0.02)
      return "mine", coroutine.resume(coroutine.running())
    end)
    local task = lull.spawn(function() return coroutine.resume(thread) end)
    spec.turn()
    equal(coroutine.status(thread), "normal")
    same(
      { coroutine.resume(thread) },
      { false, "cannot resume non-suspended coroutine (it waits for Lull)" })
    local ok, message = pcall(coroutine.close, thread)
    equal(ok, false)
    contains(message, "cannot close a normal coroutine (it waits for Lull")
    same({ task:await() }, { true, "mine", false, "cannot resume non-suspended coroutine" })
  end)

  it("takes and gives hundreds of values", function()
    local many = {}
    for i = 1, 240 do many[i] = i end
    local thread = coroutine.create(function(...) lull.sleep(0) return ... end)
    equal(select("#", coroutine.resume(thread, table.unpack(many))), 241)
  end)

  it("can be nested until C levels run out, which is an error and no crash", function()
    local function nest(depth)
      return coroutine.wrap(function()
        lull.sleep(0)
        return nest(depth + 1)()
      end)
    end
    local ok, message = pcall(nest(1))
    equal(ok, false)
    contains(message, "C stack overflow")
    lull.sleep(0)
  end)
end)

describe("coroutine.status, close, running and isyieldable", function()
  it("of Lull's own is dead when it has ended, also while its results are read", function()
    local threads, seen, called = {}, nil, 0
    lull.map({ 1, 2 }, function(i)
      threads[i] = coroutine.running()
      if i == 1 then lull.sleep(0) end
      if i == 2 then
        local status = coroutine.status(threads[1])
        local ok, message = coroutine.resume(threads[1])
        seen = { status, ok, message, coroutine.close(threads[1]) }
      end
      return function() called = called + 1 end
    end, { concurrency = 1 })
    same(seen, { "dead", false, "cannot resume dead coroutine", true })
    equal(called, 0)
  end)

  it("answer as ever", function()
    local thread
    thread = coroutine.create(function()
      lull.sleep(0)
      equal(coroutine.status(thread), "running")
      equal(coroutine.running(), thread)
      equal(coroutine.isyieldable(), true)
      local outer = coroutine.status(coroutine.create(function() end))
      coroutine.yield(outer)
    end)
    equal(coroutine.status(thread), "suspended")
    same({ coroutine.resume(thread) }, { true, "suspended" })
    equal(coroutine.close(thread), true)
    equal(coroutine.status(thread), "dead")
    for _, bad in ipairs { 1, "x", {}, print } do
      contains(select(2, pcall(coroutine.resume, bad)), "coroutine expected")
      contains(select(2, pcall(coroutine.status, bad)), "coroutine expected")
      contains(select(2, pcall(coroutine.close, bad)), "coroutine expected")
    end
    contains(select(2, pcall(coroutine.wrap, 1)), "function expected")
  end)

  it("LUA-02 say of the main chunk that it is that, and cannot yield, as in a stock interpreter", function()
    local result = spec.script [[
      local main, is_main = coroutine.running()
      assert(type(main) == "thread" and is_main)
      assert(not coroutine.resume(main))
      assert(not coroutine.isyieldable(main) and not coroutine.isyieldable())
      assert(not pcall(coroutine.yield))
      local lull = require "lull"
      local function look()
        local thread, says_main = coroutine.running()
        return thread == main, says_main, coroutine.isyieldable(), coroutine.isyieldable(main)
      end
      local function is(same, says_main, yields, ...)
        local a, b, c, d = ...
        assert(a == same and b == says_main and c == yields and d == false, debug.traceback())
      end
      is(true, true, false, look())
      lull.sleep(0)
      is(true, true, false, look())
      is(true, true, false, select(2, pcall(look)))
      string.gsub("x", "x", function() is(true, true, false, look()) end)
      is(false, false, true, coroutine.wrap(look)())
      is(false, false, true, coroutine.wrap(function() lull.sleep(0) return look() end)())
      -- A task is no main chunk, but has nobody to yield to either.
      is(false, false, false, lull.spawn(look):await())
      is(false, false, false, lull.spawn(function() lull.sleep(0) return look() end):await())
      is(false, false, true, lull.spawn(function() return coroutine.wrap(look)() end):await())
      is(true, true, false, look())
      assert(not pcall(coroutine.isyieldable, 1))
      print "done"
    ]]
    equal(result.err, "")
    equal(result.out, "done\n")
  end)

  it("close runs to-be-closed variables of a suspended coroutine", function()
    local closed = {}
    local thread = coroutine.create(function()
      local _ <close> = noting(closed, "closed")
      lull.sleep(0)
      coroutine.yield()
    end)
    coroutine.resume(thread)
    equal(coroutine.close(thread), true)
    same(closed, { "closed" })
  end)
end)

describe("cancelling a task that waits inside coroutines of its own", function()
  it("closes the innermost first, and runs nothing after the wait", function()
    local closed, after = {}, false
    local task = lull.spawn(function()
      local _ <close> = noting(closed, "task")
      coroutine.wrap(function()
        local _ <close> = noting(closed, "outer")
        local inner = coroutine.create(function()
          local _ <close> = noting(closed, "inner")
          pcall(lull.sleep, 60)
          after = true
        end)
        coroutine.resume(inner)
        after = true
      end)()
      after = true
    end)
    spec.turn()
    task:cancel()
    same(closed, { "inner", "outer", "task" })
    equal(after, false)
    local _, err = task:await()
    equal(err.cause.kind, "request_cancelled")
  end)

  it("cancels the request it waits for", function()
    local stopped
    local service = spec.fake(function()
      local _ <close> = setmetatable({}, { __close = function() stopped = true end })
      lull.sleep(60)
    end)
    local request = service("/a"):get()
    local task = lull.spawn(function() return coroutine.wrap(function() return request:await() end)() end)
    spec.turn()
    task:cancel()
    spec.turn()
    equal(request.state, "completed")
    equal(stopped, true)
  end)

  it("leaves nothing behind when a generator is dropped half way", function()
    local weak = setmetatable({}, { __mode = "v" })
    for i = 1, 10 do
      local ballast = {}
      weak[i] = ballast
      local step = coroutine.wrap(function()
        lull.sleep(0)
        coroutine.yield(ballast)
      end)
      step()
    end
    spec.collect()
    spec.collect()
    same(weak, {})
  end)
end)

describe("a coroutine of the script's own", function()
  it("may be passed between tasks, each of which waits in it in turn", function()
    local source = coroutine.wrap(function()
      for i = 1, 6 do
        lull.sleep(0)
        coroutine.yield(i)
      end
    end)
    local seen = {}
    local function take(n) for _ = 1, n do seen[#seen + 1] = source() end end
    lull.spawn(take, 2):await()
    lull.spawn(take, 3):await()
    take(1)
    same(seen, { 1, 2, 3, 4, 5, 6 })
  end)

  it("waits in hooks, observers and transformers too", function()
    local function waited(value)
      return coroutine.wrap(function() lull.sleep(0) return value end)()
    end
    local service = spec.fake(json "1"):transform(function(content) return content + waited(1) end)
    local heard = {}
    service("/a"):load():on_success(function(entity) heard[1] = entity.content + waited(10) end):await()
    for _ = 1, 5 do spec.turn() end
    same(heard, { 12 })
  end)

  it("is told where a C function taken before Lull was loaded has resumed it", function()
    local result = spec.script [[
      local resume = coroutine.resume
      package.loaded.lull = nil
      local lull = require "lull"
      lull.spawn(function()
        local thread = coroutine.create(function() return pcall(lull.sleep, 0) end)
        print(resume(thread))
      end)
      lull.run()
    ]]
    if spec.is_stock then
      contains(result.out, "cannot wait inside this coroutine")
      contains(result.out, "load Lull first, or start the function with lull.spawn")
    end
    equal(result.code, 0)
  end)
end)

describe("coroutine.yield", function()
  it("outside of a coroutine of the script's own is an error that pcall catches", function()
    local ok, message = pcall(coroutine.yield, 1)
    equal(ok, false)
    contains(message, "attempt to yield from outside a coroutine")
    local step = coroutine.wrap(function() return pcall(coroutine.yield, "out") end)
    equal(step(), "out")
    same({ step("in") }, { true, "in" })
  end)
end)

describe("an error in a __close handler that nobody hears of", function()
  it("is reported, of a cancelled task", function()
    local task = lull.spawn(function()
      local _ <close> = setmetatable({}, { __close = function() error "in close" end })
      lull.sleep(60)
    end)
    spec.turn()
    task:cancel()
    local reports = spec.reports()
    equal(#reports, 1)
    contains(tostring(reports[1].error or reports[1].message or reports[1]), "in close")
  end)

  it("is reported, of a function that has failed", function()
    local ok, message = pcall(lull.timeout, 5, function()
      local _ <close> = setmetatable({}, { __close = function() lull.sleep(0) end })
      error "boom"
    end)
    equal(ok, false)
    contains(message, "boom")
    equal(#spec.reports(), 1)
  end)
end)

describe("an error object whose __tostring raises", function()
  it("is told of as that, with its place", function()
    local result = spec.script [[
      local lull = require "lull"
      lull.spawn(function() error(setmetatable({}, { __tostring = function() error "bad" end })) end)
      lull.run()
    ]]
    contains(result.err, "(error object is a table value whose __tostring raises)")
    contains(result.err, ":2")
  end)
end)
