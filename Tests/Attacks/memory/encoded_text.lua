-- expects: limit
local lull = require "lull"

print(#lull.json.encode(("\1"):rep(30 << 20)))
