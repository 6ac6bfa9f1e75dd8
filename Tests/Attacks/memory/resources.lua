-- expects: limit
local lull = require "lull"

local text = ("x"):rep(100000)
local api = lull.service("http://a.invalid")

local kept = {}
while true do kept[#kept + 1] = api("/" .. #kept):child(text) end
