-- expects: limit
local lull = require "lull"

local api = lull.service(...)
local kept = {}
while true do kept[#kept + 1] = assert(api("/headers?n=25&size=9000&i=" .. #kept):load():await()) end
