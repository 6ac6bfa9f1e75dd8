-- expects: limit
local lull = require "lull"

local text = ("x"):rep(10000)

local kept = {}
while true do kept[#kept + 1] = lull.regex(text .. #kept) end
