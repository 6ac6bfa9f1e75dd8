-- expects: limit
local lull = require "lull"

print(lull.service(...)("/gzip"):with_param("n", "45000000"):with_param("type", "text/plain"):load():await())
