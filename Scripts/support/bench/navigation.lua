-- B10: COUNT navigations to an existing resource of a service with RESOURCES resources. Prints the
-- CPU time per navigation in ns.
local lull = require "lull"

local resources, count = ...
resources, count = tonumber(resources), tonumber(count)
local service = lull.service("http://127.0.0.1")
service.cached_resource_count_limit = 2 * resources + 100
for i = 1, resources do service("/item/" .. i) end
local target = service:resource_at("http://127.0.0.1/a/b/c?q=1")

local function navigate(n)
  local found
  for _ = 1, n do found = service("/a/b"):child("c"):with_param("q", "1") end
  assert(found == target, tostring(found))
end

navigate(1000)
local start = os.clock()
navigate(count)
print(string.format("%.3f", (os.clock() - start) / count * 1e9))
