-- expects: fine
local lull = require "lull"

local value = {}
for index = 1, 26 do value = { value, value, index } end
print(lull.copy(value))
