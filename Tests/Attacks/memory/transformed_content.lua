-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)

local api = lull.service{
  base_url = "http://a.invalid",
  networking = function() return { status = 200, body = "x" } end }
api:transform("/**", function() return megabyte .. math.random() end)
local kept = {}
while true do kept[#kept + 1] = assert(api("/" .. #kept):load():await()) end
