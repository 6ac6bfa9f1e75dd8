-- Memory of a script: many small blocks of every size, with Lull's own allocator in the command and
-- without it; in a stock interpreter it is that of the interpreter.
local spec = ...
local describe, it, equal, check = spec.describe, spec.it, spec.equal, spec.check

-- Makes and drops values of all sizes, and checks that each is what it was made to be.
local churn = [[
  math.randomseed(42)
  local live = {}
  local function make(i)
    local kind = math.random(4)
    if kind == 1 then return ("s" .. i .. " "):rep(math.random(90)) end
    local t = { i }
    for k = 1, math.random(40) do t[kind == 2 and k or "k" .. k] = i end
    if kind == 4 then for k in pairs(t) do if k ~= 1 then t[k] = nil end end t.k = i end
    return t
  end
  local function check(i, value)
    if type(value) == "string" then
      local part = "s" .. i .. " "
      assert(value == part:rep(#value // #part))
    else
      for _, field in pairs(value) do assert(field == i) end
    end
  end
  for i = 1, 20000 do
    local place = math.random(3000)
    local old = live[place]
    if old then check(old[1], old[2]) end
    live[place] = { i, make(i) }
    if i % 7000 == 0 then
      for k = 1, 3000 do if k % 4 > 0 then live[k] = nil end end
      collectgarbage()
    end
  end
  for _, kept in pairs(live) do check(kept[1], kept[2]) end
  print "whole"
]]

describe("values of every size", function()
  local environments = { ["Lull's blocks"] = "-u LULL_PLAIN_MALLOC", ["plain malloc"] = "LULL_PLAIN_MALLOC=1" }
  for name, environment in pairs(environments) do
    it("stay what they are while others come and go, with " .. name, function()
      local result = spec.script(churn, { env = environment, seconds = 10 * spec.slowness })
      equal(result.err, "")
      equal(result.out, "whole\n")
      equal(result.code, 0)
    end)
  end
end)

describe("memory that a script has dropped", function()
  it("goes back to the system", function()
    local result = spec.script([[
      local function resident()
        local file = assert(io.open("/proc/self/statm"))
        local pages = file:read("a"):match("^%d+ (%d+)")
        file:close()
        return pages * 4 // 1024
      end
      local before = resident()
      local list = {}
      for i = 1, 1000000 do list[i] = { i, i } end
      local most = resident()
      list = nil
      collectgarbage()
      print(most - before, resident() - before)
    ]], { env = "-u LULL_PLAIN_MALLOC", seconds = 10 * spec.slowness })
    local most, left = result.out:match("(%d+)%s+(%d+)")
    most, left = tonumber(most), tonumber(left)
    check(most > 90, most)
    -- What Lull keeps for the next such list is bounded; a stock interpreter is what it is.
    check(spec.is_stock or left < 50, left)
  end)
end)

describe("warn", function()
  it("shows messages once they are turned on, put together", function()
    local result = spec.script [[
      warn("before")
      warn("@on")
      warn("one ", "message")
      warn("@unknown")
      warn("@", "on is no word of its own")
      warn("@off")
      warn("after")
    ]]
    equal(result.out, "")
    equal(result.err, "Lua warning: one message\nLua warning: @on is no word of its own\n")
    equal(result.code, 0)
  end)
end)
