-- expects: limit
local lull = require "lull"

local file = assert(io.open("read", "w"))
for _ = 1, 150 do file:write(("x"):rep(1 << 20)) end
file:close()
print(pcall(lull.read_file, "read"))
