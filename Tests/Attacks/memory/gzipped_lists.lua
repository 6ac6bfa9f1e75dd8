-- expects: limit
local lull = require "lull"

print(lull.service(...)("/lists?n=12000000"):load():await())
