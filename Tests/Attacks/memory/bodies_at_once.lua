-- expects: limit
local lull = require "lull"

local api = lull.service{ base_url = (...), connections_per_host = 32 }
local requests = {}
for index = 1, 32 do requests[index] = api("/bytes?n=90000000&i=" .. index):load() end
print(lull.all(requests))
