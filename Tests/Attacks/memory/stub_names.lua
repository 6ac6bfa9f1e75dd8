-- expects: limit
local lull = require "lull"

local text = ("x"):rep(100000)

local answers = {}
for index = 1, 3000 do answers["GET /" .. text .. index] = { body = "" } end
print(lull.testing.stub(answers))
