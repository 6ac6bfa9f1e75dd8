-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)

local values = {}
for index = 1, 3000 do values[index] = megabyte .. index % 2 end
print(#lull.inspect(values))
