-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)
local api = lull.service("http://a.invalid")

local fields = {}
for index = 1, 3000 do fields["p" .. index] = megabyte end
api("/a"):post{ form = fields }:await()
