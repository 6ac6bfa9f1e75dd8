-- Many observers of one resource: whatever one of them does, the others hear what they should, in
-- their order (OBS-33 to OBS-35).
local lull = require "lull"
local spec = ...
local describe, it, equal, same, check = spec.describe, spec.it, spec.equal, spec.same, spec.check
local json = spec.json

-- More than the bridge calls in one go, three times.
local COUNT = 200

-- A resource and what its COUNT observers hear; `acts[i]` is called with the observer's arguments when
-- the i-th hears new data.
local function observed(acts)
  local resource, heard, observations = spec.fake(json "1")("/a"), {}, {}
  for i = 1, COUNT do
    observations[i] = resource:observe(function(...)
      local _, event, detail = ...
      if event == "new_data" then
        heard[#heard + 1] = detail == "local_override" and i or i .. " " .. detail
        if acts[i] then return acts[i](...) end
      end
    end)
  end
  return resource, heard, observations
end

-- The numbers up to COUNT without those in `missing`.
local function all(missing)
  local numbers = {}
  for i = 1, COUNT do
    if not (missing and missing[i]) then numbers[#numbers + 1] = i end
  end
  return numbers
end

describe("each of many observers", function()
  it("OBS-33 hears an event once, in the order of addition, with the same arguments", function()
    local resource, heard
    local acts = {}
    for _, i in ipairs { 1, 63, 64, 65, 128, 129, 200 } do
      acts[i] = function(...)
        local r, event, detail = ...
        equal(select("#", ...), 3)
        equal(r, resource)
        equal(event, "new_data")
        equal(detail, "local_override")
      end
    end
    resource, heard = observed(acts)
    resource:override_local_content "x"
    same(heard, all())
  end)

  it("gets its own arguments, whatever others do with theirs", function()
    local acts = {
      [3] = function(...)
        local args = { ... }
        args[1], args[2], args[3] = false, false, false
        return table.unpack(args, 1, 100)
      end,
      [4] = function(r, event, detail)
        check(r and event == "new_data" and detail == "local_override")
        r, event, detail = nil, nil, nil
        return r, event, detail
      end,
    }
    local resource, heard = observed(acts)
    resource:override_local_content "x"
    resource:override_local_content "y"
    local twice = all()
    table.move(all(), 1, COUNT, COUNT + 1, twice)
    same(heard, twice)
  end)

  it("is not told of an event without detail that it has one", function()
    local counts = {}
    local resource = spec.fake(json "1")("/a")
    for _ = 1, 3 do
      resource:observe(function(...)
        local _, event = ...
        counts[#counts + 1] = event .. " " .. select("#", ...)
      end)
    end
    counts = {}
    resource:load():await()
    same(counts, {
      "requested 2", "requested 2", "requested 2", "new_data 3", "new_data 3", "new_data 3" })
  end)

  it("hears it between tables and observers with owners", function()
    local resource, heard = spec.fake(json "1")("/a"), {}
    local held, tables = { owner = {} }, {}
    for i = 1, 9 do
      local function observer(_, event)
        if event == "new_data" then heard[#heard + 1] = i end
      end
      if i % 3 == 0 then
        tables[i] = { resource_changed = function(_, ...) observer(...) end }
        resource:add_observer(tables[i])
      elseif i % 4 == 0 then
        resource:add_observer(observer, held.owner)
      else
        resource:add_observer(observer)
      end
    end
    resource:override_local_content "x"
    same(heard, { 1, 2, 3, 4, 5, 6, 7, 8, 9 })
    heard, held.owner = {}, nil
    spec.collect()
    resource:override_local_content "y"
    same(heard, { 1, 2, 3, 5, 6, 7, 9 })
  end)
end)

describe("among many observers, one", function()
  it("OBS-34 that removes itself and others keeps those behind it from hearing", function()
    local resource, heard, observations
    local acts = {
      [10] = function() observations[10]:stop() end,
      [20] = function()
        for _, i in ipairs { 19, 21, 22, 84, 85, 150, 200 } do observations[i]:stop() end
      end,
      [149] = function() observations[151]:stop() end,
    }
    resource, heard, observations = observed(acts)
    resource:override_local_content "x"
    same(heard, all { [21] = true, [22] = true, [84] = true, [85] = true, [150] = true,
      [151] = true, [200] = true })
    for i = 1, #heard do heard[i] = nil end
    resource:override_local_content "y"
    same(heard, all { [10] = true, [19] = true, [21] = true, [22] = true, [84] = true, [85] = true,
      [150] = true, [151] = true, [200] = true })
  end)

  it("may be the last one of each event", function()
    local resource, heard, observations
    local acts = {}
    for i = 1, COUNT do acts[i] = function() observations[i]:stop() end end
    resource, heard, observations = observed(acts)
    resource:override_local_content "x"
    same(heard, all())
    resource:override_local_content "y"
    same(heard, all())
  end)

  it("OBS-34 that is added meanwhile does not hear the event", function()
    local late = 0
    local acts = { [5] = function(r)
      r:observe(function(_, event) if event == "new_data" then late = late + 1 end end)
    end }
    local resource, heard = observed(acts)
    resource:override_local_content "x"
    same(heard, all())
    equal(late, 0)
    acts[5] = nil
    resource:override_local_content "y"
    equal(late, 1)
  end)

  it("that raises is reported by its own place, and the next ones hear", function()
    local resource, heard = observed {
      [70] = function() error "seventy" end,
      [71] = function() error { code = 71 } end,
      [72] = function() coroutine.yield() end,
    }
    local last = resource:observe(function(_, event) if event == "new_data" then error "last" end end)
    local line = debug.getinfo(1, "l").currentline - 1
    resource:override_local_content "x"
    same(heard, all())
    local reports = spec.reports()
    equal(#reports, 4)
    spec.contains(reports[1].message, "seventy")
    spec.contains(reports[3].message, "yield")
    spec.contains(reports[4].message, "last")
    spec.contains(reports[4].where, "many_observers_spec.lua:" .. line)
    check(last)
  end)

  it("that waits holds up nobody, and goes on by itself", function()
    local threads, after = {}, {}
    local function note(i)
      return function()
        threads[i] = coroutine.running()
        lull.sleep(0)
        after[#after + 1] = i
        equal(coroutine.running(), threads[i])
      end
    end
    local resource, heard = observed { [1] = note(1), [100] = note(100), [101] = note(101),
      [102] = function() threads[102] = coroutine.running() end }
    resource:observe(function(_, event)
      if event ~= "new_data" then return end
      lull.sleep(0)
      error "after its wait"
    end)
    local line = debug.getinfo(1, "l").currentline - 5
    resource:override_local_content "x"
    same(heard, all())
    same(after, {})
    check(threads[1] ~= threads[100] and threads[100] ~= threads[101])
    check(threads[101] ~= threads[102])
    spec.turn()
    table.sort(after)
    same(after, { 1, 100, 101 })
    local reports = spec.reports()
    equal(#reports, 1)
    spec.contains(reports[1].message, "after its wait")
    spec.contains(reports[1].where, "many_observers_spec.lua:" .. line)
  end)

  it("OBS-35 that changes the resource has all hear of that before those behind it go on", function()
    local resource, heard
    local is_first = true
    resource, heard = observed { [3] = function(r)
      if not is_first then return end
      is_first = false
      r:wipe()
    end }
    resource:override_local_content "x"
    local expected = { 1, 2, 3 }
    for i = 1, COUNT do expected[#expected + 1] = i .. " wipe" end
    for i = 4, COUNT do expected[#expected + 1] = i end
    same(heard, expected)
  end)

  it("may have everything collected", function()
    local resource, heard = observed { [50] = function() collectgarbage() end }
    resource:override_local_content "x"
    same(heard, all())
  end)

  it("that starts and cancels tasks is not taken for another", function()
    local ended = {}
    local resource, heard = observed {
      [8] = function()
        local task = lull.spawn(function() lull.sleep(10) end)
        task:cancel()
        ended[#ended + 1] = task.state
      end,
      [9] = function()
        lull.spawn(function()
          lull.sleep(0)
          ended[#ended + 1] = "slept"
        end)
      end,
    }
    resource:override_local_content "x"
    same(heard, all())
    spec.turn()
    same(ended, { "cancelled", "slept" })
  end)
end)

describe("what many observers have heard of", function()
  it("is not kept by the coroutines they ran in", function()
    local resource = observed { [7] = function() lull.sleep(0) end }
    resource:override_local_content "x"
    spec.turn()
    local kept = setmetatable({ resource }, { __mode = "v" })
    resource = nil
    spec.collect()
    check(kept[1] == nil and resource == nil)
  end)
end)

-- What a resource of that many observers should do, said plainly: a list that is walked each time.
local function model()
  local self = { entries = {}, stopped = {} }

  local function find(value)
    for _, entry in ipairs(self.entries) do if entry.value == value then return entry end end
  end

  function self.add(value, owner)
    local entry = type(value) == "table" and find(value)
    if not entry then
      entry = { value = value, owners = {}, is_table = type(value) == "table" }
      self.entries[#self.entries + 1] = entry
    end
    if owner == nil or owner == value then
      entry.is_held = true
    else
      entry.owners[owner] = true
    end
  end

  local function drop(is_gone)
    for i = #self.entries, 1, -1 do
      if is_gone(self.entries[i]) then table.remove(self.entries, i) end
    end
  end

  function self.remove(value)
    local gone = {}
    for _, entry in ipairs(self.entries) do
      if entry.value == value then
        if entry.is_table and next(entry.owners) then entry.is_held = false else gone[entry] = true end
      elseif entry.owners[value] then
        entry.owners[value] = nil
        gone[entry] = not next(entry.owners) and not entry.is_held
      end
      if gone[entry] and entry.is_table then self.stopped[#self.stopped + 1] = entry.value.id end
    end
    drop(function(entry) return gone[entry] end)
  end

  function self.heard()
    local ids = {}
    for i, entry in ipairs(self.entries) do ids[i] = entry.is_table and entry.value.id or entry.value(nil, "id") end
    return ids
  end

  return self
end

describe("observers that come and go by the hundred", function()
  local function run(seed, many)
    local state = seed
    local function random(n)
      state = (state * 1103515245 + 12345) % 0x80000000
      return state // 65536 % n + 1
    end
    local resource, heard, stopped, expected = spec.fake(json "1")("/a"), {}, {}, model()
    local tables, functions, owners = {}, {}, {}
    for i = 1, many do
      tables[i] = {
        id = "t" .. i,
        resource_changed = function(self, _, event) if event == "new_data" then heard[#heard + 1] = self.id end end,
        stopped_observing = function(self) stopped[#stopped + 1] = self.id end,
      }
      functions[i] = function(_, event)
        if event == "id" then return "f" .. i end
        if event == "new_data" then heard[#heard + 1] = "f" .. i end
      end
      owners[i] = { id = "o" .. i }
    end
    local function one() return random(3) == 1 and functions[random(many)] or tables[random(many)] end
    for step = 1, 12 * many do
      local choice = random(10)
      if choice <= 5 then
        local value = one()
        local owner = random(3) == 1 and owners[random(many)] or nil
        if random(8) == 1 and type(value) == "table" then owner = value end
        if owner == nil then resource:add_observer(value) else resource:add_observer(value, owner) end
        expected.add(value, owner)
      elseif choice <= 9 then
        local value = random(2) == 1 and one() or owners[random(many)]
        resource:remove_observers(value)
        expected.remove(value)
      end
      -- Now and then rarely, so that many are removed between two events.
      if random(step % 200 < 100 and 4 or 60) == 1 then
        heard = {}
        resource:override_local_content(step)
        same(heard, expected.heard(), "step " .. step)
        same(stopped, expected.stopped, "step " .. step)
      end
    end
    resource:override_local_content "end"
    check(#expected.entries > 0)
    for _, list in ipairs { tables, functions, owners } do
      for _, value in ipairs(list) do
        resource:remove_observers(value)
        expected.remove(value)
      end
    end
    same(stopped, expected.stopped)
    heard = {}
    resource:override_local_content "nobody"
    same(heard, {})
  end

  it("OBS-14 OBS-23 OBS-31 OBS-33 are those they should be, in their order", function()
    for seed = 1, 6 do
      run(seed, 8)
      run(seed, 150)
    end
  end, { seconds = 60 })

  it("OBS-27 may be collected, and others have their places then", function()
    local resource, heard = spec.fake(json "1")("/a"), 0
    local function changed(_, _, event) if event == "new_data" then heard = heard + 1 end end
    for _ = 1, 5 do
      local kept, owners = {}, {}
      for i = 1, 100 do
        kept[i] = { resource_changed = changed }
        resource:add_observer(kept[i])
        owners[i] = {}
        resource:add_observer({ resource_changed = changed }, owners[i])
      end
      resource:remove_observers(kept[50])
      for i = 1, 100, 2 do kept[i], owners[i] = nil, nil end
      spec.collect()
      heard = 0
      resource:override_local_content "x"
      equal(heard, 99)
      for i = 2, 100, 2 do
        resource:remove_observers(kept[i])
        resource:remove_observers(owners[i])
      end
      heard = 0
      resource:override_local_content "x"
      equal(heard, 0)
    end
  end, { seconds = 30 })
end)
