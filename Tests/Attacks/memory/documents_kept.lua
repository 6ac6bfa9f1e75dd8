-- expects: limit
local lull = require "lull"

local kept = {}
while true do kept[#kept + 1] = lull.json.decode("[[],[],[],[],[],[],[],[]]") end
