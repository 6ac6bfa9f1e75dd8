-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)

local api = lull.service{
  base_url = "http://a.invalid",
  networking = function(request) return { status = 500, body = megabyte .. request.url } end }
local kept = {}
while true do kept[#kept + 1] = select(2, api("/" .. #kept):load():await()) end
