-- B27 and B28: resources that are loaded with a body.
--
--   time COUNT      the CPU time in ns of load_if_needed of a fresh query that is held, of the same
--                   call of a GET resource, and of making an equal query of 1 KB again
--   memory COUNT    the bytes of resident memory of each of COUNT queries of one URL, after 1,000
--                   that are not counted
--   loads COUNT     the same of resources with a URL each
local lull = require "lull"
local resident = require "resident"

local mode, count = ...
count = tonumber(count)
local body = '{"id":1234567,"name":"Kilauea","text":"%s"}'
body = body:format(("x"):rep(200 - #body + 2))
local answer = { headers = { ["content-type"] = "application/json" }, body = body }
local service = lull.service{
  base_url = "http://stub.invalid", expiration_time = 3600,
  networking = lull.testing.stub{ ["GET /item"] = answer, ["QUERY /item"] = answer },
}
service.cached_resource_count_limit = 2 * count + 2000
service.cached_resource_byte_limit = 1 << 40

if mode == "time" then
  local clock = os.clock
  local function timed(call)
    call(count // 10)
    local start = clock()
    call(count)
    return (clock() - start) / count * 1e9
  end
  local resource = service "/item"
  local content = { term = "tea", filters = {} }
  for i = 1, 40 do content.filters[i] = { field = "f" .. i, value = i } end
  local options = { json = content }
  local query = resource:query(options)
  assert(#query.body > 1000 and #query.body < 1500)
  assert(resource:load():await())
  assert(query:load():await())
  local text = { data = query.body, content_type = "application/json" }
  assert(resource:query(text) == query)
  print(
    timed(function(n) for _ = 1, n do query:load_if_needed() end end),
    timed(function(n) for _ = 1, n do resource:load_if_needed() end end),
    timed(function(n) for _ = 1, n // 20 do resource:query(text) end end) * 20,
    timed(function(n) for _ = 1, n // 20 do resource:query(options) end end) * 20)
  return
end

local function load(first, last)
  for i = first, last do
    local resource = mode == "memory" and service("/item"):query{ json = { page = i, term = "tea" } }
      or service("/" .. i .. "/item")
    assert(resource:load():await())
  end
  collectgarbage()
  collectgarbage()
  lull.sleep(0)
end

load(1, 1000)
local before = resident()
load(1001, 1000 + count)
local after = resident()
for i = 1000, 1000 + count, 1000 do
  local resource = mode == "memory" and service("/item"):query{ json = { page = i, term = "tea" } }
    or service("/" .. i .. "/item")
  assert(resource.is_up_to_date and resource.content.id == 1234567)
end
print((after - before) / count)
