-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)
local api = lull.service("http://a.invalid")

local parameters = {}
for index = 1, 3000 do parameters["p" .. index] = megabyte end
print(#api("/a"):with_params(parameters).url)
