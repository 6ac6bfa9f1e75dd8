-- expects: limit
local lull = require "lull"

print(lull.service(...)("/gzip?n=45000000&type=text/plain"):load():await())
