-- B23: a process that needs COUNT resources, one after the other. Their data is in a cache: in that
-- file or, with URL, on the server that hosts share. Prints the microseconds for each.
local lull = require "lull"

local base_url, count, file, url = ...
count = tonumber(count)
if url then lull.share { url = url } end
local api = lull.service { base_url = base_url, expiration_time = 1e6 }
local cache = url and lull.cache.shared { path = file } or lull.cache.file { path = file }
api:configure { pipeline = { parsing = { cache = cache } } }

local function load(from, to)
  local started = lull.now()
  for i = from, to do
    local request = api:resource("/item/" .. i):load_if_needed()
    assert(request:await())
  end
  return lull.now() - started
end

-- Opening the file or the connection is not measured.
load(1, 50)
print(string.format("%.3f", load(51, count) / (count - 50) * 1e6))
