-- expects: limit
local lull = require "lull"

local api = lull.service("http://a.invalid")

local resource, kept = api("/a"), {}
while true do kept[#kept + 1] = resource:observe(function() return #kept end) end
