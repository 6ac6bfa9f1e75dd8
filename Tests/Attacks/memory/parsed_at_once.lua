-- expects: limit
local lull = require "lull"

-- Each of them would fit.
local api = lull.service{ base_url = (...), connections_per_host = 8 }
local requests = {}
for index = 1, 8 do requests[index] = api("/json"):with_param("n", "3000000"):with_param("i", index):load() end
print(lull.all(requests))
