-- expects: limit
local lull = require "lull"

local api = lull.service(...)
local body = ("x"):rep(25 << 20)
local requests = {}
for index = 1, 8 do requests[index] = api("/bytes"):with_param("n", index):post{ data = body } end
print(lull.all(requests))
