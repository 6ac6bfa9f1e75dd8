-- expects: limit
local lull = require "lull"

local api = lull.service(...)
local kept = {}
local bytes = api("/bytes"):with_param("n", "5000000")
while true do kept[#kept + 1] = assert(bytes:with_param("i", #kept):load():await()) end
