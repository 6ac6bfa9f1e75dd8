-- expects: limit
local lull = require "lull"

local resource = lull.service(...)("/gzip"):with_param("n", "4000000"):with_param("of", "{},")
print(#assert(resource:load():await()).content)
