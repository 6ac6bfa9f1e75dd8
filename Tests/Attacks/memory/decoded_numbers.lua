-- expects: limit
local lull = require "lull"

print(lull.json.decode("[" .. ("1,"):rep(20 << 20) .. "1]"))
