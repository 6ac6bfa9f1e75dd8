-- expects: limit
local lull = require "lull"

local api = lull.service("http://a.invalid")

api("/a"):post{ form = { a = (" "):rep(30 << 20) } }:await()
