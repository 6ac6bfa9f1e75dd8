-- expects: limit
local lull = require "lull"

local api = lull.service{ base_url = (...), connections_per_host = 32, timeout = 30 }
local requests = {}
for index = 1, 32 do requests[index] = api("/half"):with_param("n", "20000000"):with_param("i", index):load() end
print(lull.all(requests))
