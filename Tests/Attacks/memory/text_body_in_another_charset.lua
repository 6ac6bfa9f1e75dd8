-- expects: limit
local lull = require "lull"

local api = lull.service("http://a.invalid")

api("/a"):post{ text = ("x"):rep(40 << 20), encoding = "utf-32" }:await()
