-- expects: limit
local lull = require "lull"

print(lull.service(...)("/lists"):with_param("n", "12000000"):load():await())
