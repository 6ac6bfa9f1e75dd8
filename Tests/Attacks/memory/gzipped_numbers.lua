-- expects: limit
local lull = require "lull"

print(lull.service(...)("/gzip"):with_param("n", "47000000"):load():await())
