-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)
local api = lull.service("http://a.invalid")

local text, resource = megabyte:rep(8), api("/a")
for index = 1, math.huge do resource = resource:with_param("p" .. index, text) end
