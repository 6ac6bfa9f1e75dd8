-- expects: limit
local lull = require "lull"

local api = lull.service(...)
local kept = {}
while true do kept[#kept + 1] = assert(api("/headers"):with_param("n", "25"):with_param("size", "9000"):with_param("i", #kept):load():await()) end
