-- What a script must not be able to break, however it tries: none of this may crash.
local lull = require "lull"
local spec = ...
local describe, it, equal, check, contains = spec.describe, spec.it, spec.equal, spec.check, spec.contains

local function closing(fn)
  return setmetatable({}, { __close = fn })
end

describe("a hostile script", function()
  it("cannot hand values to a waiting coroutine of Lull's by resuming it", function()
    local thread
    local task = lull.spawn(function()
      thread = coroutine.running()
      return "slept", lull.sleep(0.05)
    end)
    spec.turn()
    for _, value in ipairs { 42, "text", {}, io.stdout } do
      local resumed, brought = coroutine.resume(thread, value)
      equal(resumed, true)
      equal(brought, nil)
    end
    equal(task:await(), "slept")
  end)

  it("may close a waiting coroutine of Lull's: its task is cancelled", function()
    local thread
    local task = lull.spawn(function()
      thread = coroutine.running()
      lull.sleep(0.05)
    end)
    spec.turn()
    equal(coroutine.close(thread), true)
    local _, err = task:await()
    equal(err.cause.kind, "request_cancelled")
  end)

  it("may chain thousands of cancellations through __close", function()
    local tasks, closed = {}, 0
    for i = 1, 4000 do
      tasks[i] = lull.spawn(function()
        local _ <close> = closing(function()
          closed = closed + 1
          if tasks[i + 1] then tasks[i + 1]:cancel() end
        end)
        lull.sleep(60)
      end)
    end
    spec.turn()
    tasks[1]:cancel()
    for _ = 1, 4000 do
      if closed == 4000 then break end
      lull.sleep(0)
    end
    equal(closed, 4000)
  end, { seconds = 20 })

  it("copies deep tables, or hears that they are too deep", function()
    local deep = {}
    for _ = 1, 200000 do deep = { deep } end
    spec.raises("too deeply", function() lull.copy(deep) end)
    check(#lull.inspect(deep) > 0)
  end)

  it("may inspect in the __tostring of what is inspected", function()
    local function nest(value)
      for _ = 1, 990 do value = { value } end
      return value
    end
    local level = 0
    local leaf
    leaf = setmetatable({}, { __tostring = function()
      level = level + 1
      return level < 300 and lull.inspect(nest(leaf), { depth = 1000 }) or "leaf"
    end })
    check(#lull.inspect(nest(leaf), { depth = 1000 }) > 0)
    check(#lull.inspect(leaf) > 0)
  end, { seconds = 20 })

  it("cannot reach the metatables of Lull's objects", function()
    local resource = lull.service("https://foo.bar")("/a")
    equal(getmetatable(resource), false)
    equal(pcall(setmetatable, resource, {}), false)
    equal(getmetatable(resource.service), false)
    equal(getmetatable(lull.log), false)
  end)

  it("cannot change headers after the function they were for", function()
    local service, kept = spec.fake(spec.json "1"), nil
    service:configure("/a", function(config) kept = config.headers end)
    service("/a"):load():await()
    spec.raises("closed", function() kept["X-Late"] = "1" end)
    equal(kept["X-Late"], nil)
    local request_headers
    service("/b"):request("GET", nil, function(http) request_headers = http.headers end):await()
    spec.raises("closed", function() request_headers["X-Late"] = "1" end)
  end)

  it("hears of headers that are no text and no list", function()
    local service = lull.service("https://foo.bar")
    spec.raises("X-Foo", function() service:configure { headers = { ["X-Foo"] = {} } } end)
    spec.raises("X-Foo", function() service:configure { headers = { ["X-Foo"] = { a = 1 } } } end)
    spec.raises("X-Foo", function() service:configure { headers = { ["X-Foo"] = print } } end)
  end)

  it("gets the very value that a callback raised, also from one that answers at once", function()
    local raised = { code = 7 }
    local function boom() error(raised) end
    local _, err = spec.fake(spec.json "1")("/a"):request("GET", nil, boom):await()
    spec.collect()
    equal(err.cause.value, raised)
    equal(#spec.reports(), 1)
    local service = spec.fake(spec.json "1")
    service:transform(boom)
    local _, other = service("/a"):load():await()
    spec.collect()
    equal(other.cause.value, raised)
    equal(#spec.reports(), 1)
  end)

  it("cannot wait in a finaliser", function()
    local outcomes = {}
    setmetatable({}, { __gc = function()
      outcomes[#outcomes + 1] = select(2, pcall(lull.sleep, 0.01))
    end })
    spec.collect()
    contains(tostring(outcomes[1]), "cannot wait inside a finaliser")
  end)
end)
