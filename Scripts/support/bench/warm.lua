-- B13: a process that needs RESOURCES resources once. With FILE, they are in that cache file; ""
-- means no cache. Prints the seconds until all are loaded.
local lull = require "lull"

local base_url, count, file = ...
local api = lull.service { base_url = base_url, expiration_time = 1e6 }
if file ~= "" then
  api:configure { pipeline = { parsing = { cache = lull.cache.file { path = file } } } }
end

local resources = {}
local started = lull.now()
for i = 1, tonumber(count) do
  resources[i] = api:resource("/item/" .. i)
  resources[i]:load_if_needed()
end
lull.run()
local elapsed = lull.now() - started
for _, resource in ipairs(resources) do
  assert(resource.content.name == "Kilauea", resource.latest_error)
end
print(elapsed)
