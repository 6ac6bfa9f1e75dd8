-- expects: limit
local lull = require "lull"

print(lull.service(...)("/gzip?n=47000000"):load():await())
