-- B5 and B6: loads one large document COUNT times, one load after the other, and processes it with
-- a function of visits.lua: "read" through .document, "visit" through .content. SOURCE is the base
-- URL of the server, or a file whose bytes a networking function returns. Prints the wall and CPU
-- seconds after WARM_UP loads, the value read, and a digest of one more document.
local lull = require "lull"
local visits = dofile((arg[0]:match "^(.*/)" or "") .. "visits.lua")

local what, source, count, warm_up = ...
count, warm_up = tonumber(count), tonumber(warm_up)

local settings = { base_url = source }
if not source:find "^http:" then
  local body = assert(io.open(source, "rb")):read "a"
  settings = {
    base_url = "http://memory.test",
    networking = function()
      return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = body }
    end,
  }
end
local resource = lull.service(settings) "/large.json"
local visit = visits[what]

local function run(n)
  local sum = 0
  for round = 1, n do
    assert(resource:load():await())
    sum = sum + visit(what == "read" and resource.document or resource.content, round)
  end
  return sum
end

run(warm_up)
local wall, cpu = lull.now(), os.clock()
local sum = run(count)
wall, cpu = lull.now() - wall, os.clock() - cpu

assert(resource:load():await())
local digest = visits.digest(resource.content)
print(string.format("%.6f %.6f %.14g/%.17g", wall, cpu, sum, digest))
