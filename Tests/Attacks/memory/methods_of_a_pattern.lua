-- expects: fine
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)
local api = lull.service("http://a.invalid")

local methods = {}
for index = 1, 300 do methods[index] = megabyte end
api:configure("/", { expiration_time = 1 }, { methods = methods })
