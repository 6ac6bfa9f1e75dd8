-- expects: limit
local lull = require "lull"

print(lull.json.decode("[" .. ("[],"):rep(8 << 20) .. "1]"))
