-- expects: limit
local lull = require "lull"

print(lull.json.decode('"' .. ("x"):rep(45 << 20) .. '"'))
