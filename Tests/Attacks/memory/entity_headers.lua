-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)

local headers = {}
for index = 1, 3000 do headers["name-" .. index] = megabyte end
print(lull.entity{ content = "x", headers = headers })
