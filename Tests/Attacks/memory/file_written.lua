-- expects: limit
local lull = require "lull"

print(lull.write_file("written", ("x"):rep(50 << 20)))
