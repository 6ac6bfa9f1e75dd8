-- Whole scripts: exit codes, reports, what is in flight at the end. Each runs in a process of its own.
local spec = ...
local describe, it, equal, contains, check = spec.describe, spec.it, spec.equal, spec.contains, spec.check

local service = [[
  local lull = require "lull"
  local service = lull.service { base_url = "http://x.test", networking = function(http)
    lull.sleep(tonumber(http.url:match("[%d.]+$")) or 0)
    return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "17" }
  end }
]]

describe("a script", function()
  it("ends with 0", function()
    local result = spec.script(service .. [[print(service("/a"):load():await().content)]])
    equal(result.out, "17\n")
    equal(result.err, "")
    equal(result.code, 0)
  end)

  it("that raises ends with 1, its traceback on standard error", function()
    local result = spec.script(service .. [[
      print "before"
      local function deep() error("kaputt") end
      service("/a"):load():await()
      deep()
    ]])
    equal(result.out, "before\n")
    contains(result.err, "kaputt")
    contains(result.err, "stack traceback")
    contains(result.err, "deep")
    equal(result.code, 1)
  end)

  it("that cannot be compiled ends with 3 in the command", function()
    local result = spec.script("local = 7")
    equal(result.code, spec.is_stock and 1 or 3)
    contains(result.err, ":1:")
  end)

  it("may leave requests in flight: the command waits, stock Lua says how many", function()
    local result = spec.script(service .. [[
      for i = 1, 3 do
        service("/0.0" .. i):load():on_completion(function() print(i) end)
      end
      print "end"
    ]])
    if spec.is_stock then
      equal(result.out, "end\n")
      contains(result.err, "3 requests in flight")
      equal(select(2, result.err:gsub("\n", "\n")), 1, "one line")
    else
      equal(result.out, "end\n1\n2\n3\n")
      equal(result.err, "")
    end
    equal(result.code, spec.is_stock and 1 or 0)
  end)

  it("with an error in a callback goes on, and ends with 1 in the command", function()
    local result = spec.script(service .. [[
      service("/a"):load():on_success(function() error("kaputt") end):await()
      service("/b"):load():await()
      print "end"
    ]])
    equal(result.out, "end\n")
    contains(result.err, "kaputt")
    contains(result.err, "stack traceback")
    if not spec.is_stock then equal(result.code, 1) end
  end)

  it("with a task nobody awaits that fails reports it at exit", function()
    local result = spec.script(service .. [[
      task = lull.spawn(function() error("unheard") end)
      lull.sleep(0.01)
      print "end"
    ]])
    equal(result.out, "end\n")
    contains(result.err, "unheard")
    equal(select(2, result.err:gsub(": unheard\n", "")), 1, "reported once")
    if not spec.is_stock then equal(result.code, 1) end
  end)

  it("that raises cancels what is in flight, and <close> variables are closed", function()
    local result = spec.script(service .. [[
      lull.spawn(function()
        local _ <close> = setmetatable({}, { __close = function() print "closed" end })
        lull.sleep(5)
        print "not reached"
      end)
      lull.sleep(0.01)
      error("out")
    ]], { seconds = 4 })
    equal(result.code, 1)
    check(not result.out:find("not reached"))
    if not spec.is_stock then equal(result.out, "closed\n") end
  end)

  it("may call os.exit with a code, also in a callback", function()
    equal(spec.script(service .. [[os.exit(7)]]).code, 7)
    equal(spec.script(service .. [[os.exit(true)]]).code, 0)
    equal(spec.script(service .. [[os.exit(false)]]).code, 1)
    local result = spec.script(service .. [[
      service("/a"):load():on_success(function() os.exit(7) end)
      service("/5"):load()
      lull.run()
      print "not reached"
    ]], { seconds = 4 })
    equal(result.code, 7)
    equal(result.out, "")
  end)

  it("runs Lull from a finaliser at the very end without breaking", function()
    local result = spec.script(service .. [[
      kept = service("/a")
      local request = kept:load()
      request:await()
      setmetatable({}, { __gc = function()
        print(pcall(function() return kept.url, kept:load(), lull.spawn(print), lull.service("http://x.test") end))
      end })
    ]])
    equal(result.code, spec.is_stock and 1 or 0)
    check(#result.out > 0)
  end)

  it("closes with requests, tasks, observers and timers open without breaking", function()
    local result = spec.script(service .. [[
      for i = 1, 100 do
        local resource = service("/5")
        resource:observe(function() end)
        resource:load():on_completion(function() end)
        lull.spawn(function() lull.sleep(5) end)
      end
      lull.service(lull.demo())("/slow"):load()
      os.exit(0, true)
    ]], { seconds = 4 })
    -- A library cannot tell an exit with 0 from the end of the script.
    equal(result.code, spec.is_stock and 1 or 0)
    check(not result.err:find("bug"), result.err)
  end)

  it("has its arguments", function()
    local result = spec.script [[print(select("#", ...), arg[0] ~= nil, #arg)]]
    equal(result.out, "0\ttrue\t0\n")
  end)

  it("leaves no sample API behind", function()
    local result = spec.script [[
      local lull = require "lull"
      print(lull.demo())
      lull.service(lull.demo())("/users/1"):load():await()
    ]]
    local url = result.out:match("http://%S+")
    check(url, result.err)
    local lull = require "lull"
    lull.sleep(0.3)
    local _, err = lull.service(url)("/users/1"):load():await()
    check(err, "it still answers")
    equal(err.cause.kind, "connection")
  end)

  it("may be interrupted: hooks run, the code is 130", function()
    if spec.is_stock then return end
    local result = spec.script(service .. [[
      service("/5"):load():on_failure(function(err) print(err.cause.kind) end)
      os.execute("(sleep 0.1; kill -INT $PPID) &")
    ]], { seconds = 4 })
    equal(result.out, "request_cancelled\n")
    equal(result.code, 130)
  end)

  it("interrupted in a blocking await of a stock interpreter raises interrupted!", function()
    if not spec.is_stock then return end
    local result = spec.script(service .. [[
      local request = service("/5"):load()
      os.execute("(sleep 0.1; kill -INT $PPID) &")
      print(pcall(request.await, request))
    ]], { seconds = 4 })
    contains(result.out, "interrupted!")
  end)

  it("in an endless loop is interrupted, the code is 130", function()
    if spec.is_stock then return end
    local result = spec.script(service .. [[
      os.execute("(sleep 0.1; kill -INT $PPID) &")
      while true do end
    ]], { seconds = 4 })
    equal(result.code, 130)
  end)

  it("may close its standard output early", function()
    if spec.is_stock then return end
    local result = spec.script(service .. [[
      for _ = 1, 10 do print(("x"):rep(100)) end
      io.stdout:close()
      service("/a"):load():await()
    ]])
    equal(result.err, "")
  end)
end)

describe("the end of a script in a stock interpreter", function()
  it("LUA-150 is a failure if it cuts something off", function()
    if not spec.is_stock then return end
    local head = 'local lull = require "lull" '
    local cut = spec.script(head .. "lull.spawn(lull.sleep, 30)")
    contains(cut.err, "1 task unfinished, which did not complete")
    equal(cut.code, 1)
    equal(spec.script(head .. "lull.spawn(lull.sleep, 0) lull.run()").code, 0)
    equal(spec.script(head .. "lull.spawn(lull.sleep, 30) os.exit(3, true)").code, 3)
  end)
end)
