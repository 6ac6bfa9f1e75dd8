-- B7: GETs one small JSON and prints one field.
local lull = require "lull"
local api = lull.service(...)
print(assert(api("/item/1"):load():await()).content.name)
