-- expects: limit
local lull = require "lull"

local kept = {}
while true do kept[#kept + 1] = lull.spawn(lull.sleep, 30) end
