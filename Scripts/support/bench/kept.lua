-- B8: loads COUNT resources with 200 bytes of JSON each, after 1,000 that are not counted. With
-- "held", the script holds all of them, otherwise only the service does. Prints the bytes of
-- resident memory per resource.
local lull = require "lull"
local resident = require "resident"

local count, mode = ...
count = tonumber(count)
local body = '{"id":1234567,"name":"Kilauea","text":"%s"}'
body = body:format(("x"):rep(200 - #body + 2))
assert(#body == 200)
local service = lull.service{
  base_url = "http://stub.invalid",
  networking = lull.testing.stub{
    ["GET /item"] = { headers = { ["content-type"] = "application/json" }, body = body },
  },
}
service.cached_resource_count_limit = 2 * count + 1000
service.cached_resource_byte_limit = 1 << 40

local held = {}
local function load(first, last)
  for i = first, last do
    local resource = service("/" .. i .. "/item")
    assert(resource:load():await())
    if mode == "held" then held[i] = resource end
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
  local resource = service("/" .. i .. "/item")
  assert(resource.is_up_to_date and resource.content.id == 1234567)
end
print((after - before) / count)
