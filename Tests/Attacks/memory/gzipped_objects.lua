-- expects: limit
local lull = require "lull"

local resource = lull.service(...)("/gzip?n=4000000&of={},")
print(#assert(resource:load():await()).content)
