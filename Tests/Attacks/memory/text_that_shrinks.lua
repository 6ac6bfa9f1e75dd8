-- expects: fine
local lull = require "lull"

local resource = lull.service(...)("/text")
  :with_param("n", "10000000"):with_param("charset", "utf-16le"):with_param("byte", "32")
print(#assert(resource:load():await()).text)
