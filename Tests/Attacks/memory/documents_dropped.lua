-- expects: fine
local lull = require "lull"

local api = lull.service(...)
api.cached_resource_byte_limit = 1000000
for index = 1, 40 do
  assert(#assert(api("/json"):with_param("n", "300000"):with_param("i", index):load():await()).document == 300001)
end
