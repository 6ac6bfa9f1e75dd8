-- B4: COUNT calls of Lua functions, OBSERVERS different ones in turn: as observers notified by one
-- resource, and by pcall with the same arguments, in alternating slices. Prints the CPU time of
-- one call of each, in ns. If WHAT is "observers" or "pcall", only that one runs, untimed, so that
-- its instructions can be counted.
local lull = require "lull"

local observers, count, what = ...
observers, count = tonumber(observers), tonumber(count)
local resource = lull.service{ base_url = "http://127.0.0.1" }:resource("/item/1")

local heard = 0
local function make_function()
  return function(_, event)
    if event == "new_data" then heard = heard + 1 end
  end
end
local observations, functions = {}, {}
for i = 1, observers do
  observations[i] = resource:observe(make_function())
  functions[i] = make_function()
end

-- A round is one event, with one call of each function.
local function notify(rounds)
  for _ = 1, rounds do resource:override_local_content("x") end
end
local function call(rounds)
  for _ = 1, rounds do
    for i = 1, observers do pcall(functions[i], resource, "new_data", "local_override") end
  end
end

local rounds = count // observers
if what then
  (what == "observers" and notify or call)(rounds)
  assert(heard == rounds * observers)
  return
end

local clock = os.clock
local notify_time, call_time, slices = 0, 0, 20
notify(rounds // 10)
call(rounds // 10)
heard = 0
for _ = 1, slices do
  local start = clock()
  notify(rounds // slices)
  local between = clock()
  call(rounds // slices)
  notify_time, call_time = notify_time + between - start, call_time + clock() - between
end
local calls = rounds // slices * slices * observers
assert(heard == 2 * calls, heard)
print(string.format("%.3f %.3f", notify_time / calls * 1e9, call_time / calls * 1e9))
