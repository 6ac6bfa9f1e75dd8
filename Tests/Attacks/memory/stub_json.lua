-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)

local answers = {}
for index = 1, 3000 do answers["GET /" .. index] = { json = { megabyte } } end
print(lull.testing.stub(answers))
