-- expects: fine
local lull = require "lull"

local resource = lull.service(...)("/text?n=10000000&charset=utf-16le&byte=32")
print(#assert(resource:load():await()).text)
