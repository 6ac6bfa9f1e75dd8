-- expects: limit
local lull = require "lull"

local text = ("x"):rep(100000)

local api = lull.service{
  base_url = "http://a.invalid", networking = function() lull.sleep(1000) end }
local kept = {}
while true do kept[#kept + 1] = api("/" .. #kept):post{ data = text } end
