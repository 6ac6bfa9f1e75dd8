-- B20: does WHAT with COUNT. "observers" adds that number of observer tables to one resource and
-- removes them in the same order. "levels" raises an error through that number of nested
-- coroutines, TIMES times; it also works in a standard interpreter.
local what, count, times = ...
count = tonumber(count)

if what == "observers" then
  local lull = require "lull"
  local resource = lull.service{ base_url = "http://127.0.0.1" }:resource("/item/1")
  local stopped = 0
  local function changed() end
  local function stop() stopped = stopped + 1 end
  local tables = {}
  for i = 1, count do
    tables[i] = { resource_changed = changed, stopped_observing = stop }
    resource:add_observer(tables[i])
  end
  for i = 1, count do resource:remove_observers(tables[i]) end
  assert(stopped == count, stopped)
  return
end

local raise = function() error("deep", 0) end
for _ = 1, count do
  local inner = raise
  raise = function() coroutine.wrap(inner)() end
end
for _ = 1, tonumber(times) do assert(not pcall(raise)) end
