-- Calls of Lull from finalisers, `__close` methods, message handlers and debug hooks.
local lull = require "lull"
local spec = ...
local describe, it, equal, check = spec.describe, spec.it, spec.equal, spec.check
local contains, json = spec.contains, spec.json

describe("from a finaliser, a __close method, a message handler or a debug hook", function()
  for seed, collector in ipairs { "incremental", "generational" } do
    it("LUA-15 random calls leave nothing undone: " .. collector, function()
      local output = spec.shell(("%s %s/reentrancy_driver.lua %d 3000 %s 2>/dev/null"):format(
        spec.interpreter(), spec.folder, seed, collector))
      contains(output, "3000 calls")
      contains(output, ": 0 problems")
    end, { seconds = 60 })
  end

  it("LUA-15 a coroutine that is made meanwhile gets a number of its own", function()
    local result = spec.script [[
      local lull = require "lull"
      local r = lull.service{ base_url = "http://x.test" }("/r")
      r:observe(function() lull.sleep(100) end)
      local function again()
        setmetatable({}, { __gc = function() r:override_local_content(1) again() end })
      end
      again()
      for k = 1, 5000 do r:override_local_content(k) end
      print "survived" os.exit(0)
    ]]
    equal(result.code, 0)
    contains(result.out, "survived")
  end, { seconds = 20 })

  it("LUA-15 the content that a finaliser sets is held, as that which it interrupts is", function()
    local r = spec.fake(json "1")("/a")
    -- More than one value is held by the service.
    spec.fake(json "1")("/b"):override_local_content{ 1 }
    for k = 1, 3000 do
      local own = {}
      setmetatable({}, { __gc = function() r:override_local_content{ n = own } end })
      r:override_local_content{ n = k }
      if k % 100 == 0 then collectgarbage() end
      check(type(r.content) == "table" and r.content.n, "the content is there")
    end
    spec.collect()
    check(r.content.n)
  end)

  it("LUA-15 an object has one userdata, whoever asks for it first", function()
    local service = spec.fake(json "1")
    for k = 1, 2000 do
      local path, first = "/" .. k, nil
      setmetatable({}, { __gc = function() first = service(path) end })
      local second = service(path)
      if k % 10 == 0 then collectgarbage("step") end
      check(second, "the resource is there")
      if first then check(rawequal(first, second), "both are the same") end
    end
  end)

  it("LUA-15 a failed coroutine may be closed while its error goes on", function()
    for _ = 1, 300 do
      local co
      co = coroutine.create(function()
        for _ = 1, 5 do setmetatable({}, { __gc = function() pcall(coroutine.close, co) end }) end
        error("the error " .. ("x"):rep(300))
      end)
      local ok, err = coroutine.resume(co)
      equal(ok, false)
      contains(err, "the error")
      equal(coroutine.status(co), "dead")
    end
  end)

  it("LUA-15 the module is opened once, though finalisers open it meanwhile", function()
    local result = spec.script [[
      collectgarbage("incremental", 1, 1000, 5)
      local opened = {}
      for i = 1, 500 do setmetatable({}, { __gc = function() opened[i] = require "lull" end }) end
      local lull = require "lull"
      collectgarbage()
      for _, module in pairs(opened) do assert(module == lull, "another module") end
      print(next(opened) and "opened" or "never")
    ]]
    equal(result.err, "")
    contains(result.out, "opened")
  end)

  it("LUA-15 a handler of lull.on_error may set another one, or none", function()
    local result = spec.script [[
      local lull = require "lull"
      local service = lull.service{ base_url = "http://x.test", networking = function() return { status = 200 } end }
      local count = 0
      lull.on_error(function()
        count = count + 1
        lull.on_error(function()
          print("second", count)
          lull.on_error(nil)
          return true
        end)
        return true
      end)
      for i = 1, 3 do service("/" .. i):add_observer(function() error("kaputt " .. i) end) end
      lull.sleep(0.01)
    ]]
    contains(result.out, "second\t1")
    contains(result.err, "kaputt 3")
    spec.excludes(result.err, "kaputt 2")
  end)
end)

describe("waiting", function()
  it("LUA-16 in a finaliser is refused", function()
    local message
    setmetatable({}, { __gc = function()
      message = select(2, pcall(lull.sleep, 0))
    end })
    collectgarbage()
    contains(message, "cannot wait inside a finaliser")
    local blocked = spec.script [[
      local lull = require "lull"
      setmetatable({}, { __gc = function() print(pcall(lull.sleep, 0)) end })
      collectgarbage()
    ]]
    contains(blocked.out, "cannot wait inside a finaliser")
  end)

  it("LUA-16 in the __tostring of an error is refused", function()
    local result = spec.script [[
      local lull = require "lull"
      local service = lull.service{ base_url = "http://x.test", networking = function() return { status = 200 } end }
      service("/a"):add_observer(function()
        error(setmetatable({}, { __tostring = function()
          return tostring(select(2, pcall(lull.sleep, 0)))
        end }))
      end)
      lull.sleep(0.01)
    ]]
    contains(result.err, "cannot wait inside a __tostring: it must return at once")
  end)
end)

describe("a debug hook", function()
  it("LUA-17 hears of the script's calls, not of those inside them", function()
    local r = spec.fake(json "1")("/a")
    local heard = {}
    debug.sethook(function(event) heard[#heard + 1] = event end, "cr")
    r:override_local_content{ 1 }
    r:override_local_content{ 2 }
    debug.sethook()
    -- The end of the first sethook; of each call the lookup of the method and the method; the second sethook.
    equal(table.concat(heard, " "), "return" .. (" call return"):rep(4) .. " call")
  end)

  it("LUA-17 is there again afterwards, in functions that Lull calls too", function()
    local r = spec.fake(json "1")("/a")
    local lines = {}
    debug.sethook(function(event) lines[event] = (lines[event] or 0) + 1 end, "crl")
    r:override_local_content{ 1 }
    local hook, mask = debug.gethook()
    debug.sethook()
    check(hook)
    equal(mask, "crl")
    check(lines.line > 0)
  end)
end)
