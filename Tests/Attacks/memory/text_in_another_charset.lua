-- expects: limit
local lull = require "lull"

local resource = lull.service(...)("/text")
  :with_param("n", "40000000"):with_param("charset", "iso-8859-1"):with_param("byte", "233")
print(#assert(resource:load():await()).text)
