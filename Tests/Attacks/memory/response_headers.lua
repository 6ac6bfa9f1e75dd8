-- expects: limit
local lull = require "lull"

local api = lull.service(...)
local kept = {}
local headers = api("/headers"):with_param("n", "25"):with_param("size", "9000")
while true do kept[#kept + 1] = assert(headers:with_param("i", #kept):load():await()) end
