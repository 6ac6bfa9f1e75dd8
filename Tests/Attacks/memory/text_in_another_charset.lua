-- expects: limit
local lull = require "lull"

local resource = lull.service(...)("/text?n=40000000&charset=iso-8859-1&byte=233")
print(#assert(resource:load():await()).text)
