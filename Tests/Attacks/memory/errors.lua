-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)

local kept = {}
while true do kept[#kept + 1] = lull.error{ user_message = megabyte } end
