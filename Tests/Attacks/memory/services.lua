-- expects: limit
local lull = require "lull"

local text = ("x"):rep(100000)

local kept = {}
while true do kept[#kept + 1] = lull.service("http://a.invalid/" .. text .. #kept) end
