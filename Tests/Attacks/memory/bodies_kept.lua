-- expects: limit
local lull = require "lull"

local api = lull.service(...)
local kept = {}
while true do kept[#kept + 1] = assert(api("/bytes?n=5000000&i=" .. #kept):load():await()) end
