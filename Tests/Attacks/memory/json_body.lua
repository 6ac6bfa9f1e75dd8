-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)
local api = lull.service("http://a.invalid")

local values = {}
for index = 1, 3000 do values[index] = megabyte end
api("/a"):post{ json = values }:await()
