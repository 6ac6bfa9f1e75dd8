-- expects: limit
local lull = require "lull"

local text = ("x"):rep(100000)
local api = lull.service("http://a.invalid")

for index = 1, math.huge do api:configure("/" .. text .. index, { headers = { b = text } }) end
