-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)

local api = lull.service{
  base_url = "http://a.invalid",
  networking = function(request) return { status = 200, body = megabyte .. request.url } end }
api:configure{ pipeline = { raw_data = { cache = lull.cache.memory() } } }
for index = 1, math.huge do api("/" .. index):load():await() end
