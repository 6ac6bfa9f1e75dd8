-- expects: limit
local lull = require "lull"

local api = lull.service(...)
local kept = {}
while true do kept[#kept + 1] = assert(api("/bytes"):with_param("n", "5000000"):with_param("i", #kept):load():await()) end
