-- expects: limit
local lull = require "lull"

local value = {}
for _ = 1, 40 do value = { value, value } end
print(#lull.json.encode(value))
