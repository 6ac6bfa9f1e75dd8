-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)

local headers = {}
for index = 1, 3000 do headers["name-" .. index] = megabyte end
local api = lull.service{
  base_url = "http://a.invalid",
  networking = function() return { status = 200, body = "", headers = headers } end }
api("/a"):load():await()
