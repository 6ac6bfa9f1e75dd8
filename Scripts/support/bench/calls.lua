-- B3: COUNT calls each of r:load_if_needed() on fresh data and of u:m(), in alternating slices.
-- Prints the CPU time of one call of each, in ns. If WHAT is "lull" or "empty", only that one runs,
-- untimed, so that its instructions can be counted.
local lull = require "lull"

local module, count, what = ...
count = tonumber(count)
local u = assert(package.loadlib(module, "luaopen_empty_method"))()
local r = lull.service{ base_url = "http://127.0.0.1", expiration_time = 3600 }:resource("/item/1")
r:override_local_content{ id = 1 }
assert(r.is_up_to_date and r:load_if_needed() == nil)

local function call_lull(n) for _ = 1, n do r:load_if_needed() end end
local function call_empty(n) for _ = 1, n do u:m() end end

if what then
  (what == "lull" and call_lull or call_empty)(count)
  return
end

local clock = os.clock
local lull_time, empty_time, slices = 0, 0, 20
call_lull(count // 10)
call_empty(count // 10)
for _ = 1, slices do
  local start = clock()
  call_lull(count // slices)
  local between = clock()
  call_empty(count // slices)
  lull_time, empty_time = lull_time + between - start, empty_time + clock() - between
end
assert(r:load_if_needed() == nil and not r.is_loading)
print(string.format("%.3f %.3f", lull_time / count * 1e9, empty_time / count * 1e9))
