-- The reference of B5 and B6, run by decode.c. Does the same as documents.lua, with the `get` of
-- decode.c, lua-cjson and plain tables.
local cjson = require "cjson"
local visits = dofile((arg[0]:match "^(.*/)" or "") .. "visits.lua")

local what, source, count, warm_up = ...
count, warm_up = tonumber(count), tonumber(warm_up)

local get = get
if not source:find "^http:" then
  local body = assert(io.open(source, "rb")):read "a"
  function get() return body end
end
local visit = visits[what]

local function run(n)
  local sum = 0
  for round = 1, n do
    sum = sum + visit(cjson.decode(get(source .. "/large.json")), round)
  end
  return sum
end

run(warm_up)
local wall, cpu = now(), os.clock()
local sum = run(count)
wall, cpu = now() - wall, os.clock() - cpu

local digest = visits.digest(cjson.decode(get(source .. "/large.json")))
print(string.format("%.6f %.6f %.14g/%.17g", wall, cpu, sum, digest))
