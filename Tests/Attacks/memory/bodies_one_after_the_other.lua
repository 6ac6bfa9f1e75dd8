-- expects: fine
local lull = require "lull"

local api = lull.service(...)
api.cached_resource_byte_limit = 1000000
for index = 1, 20 do
  local entity = assert(api("/bytes"):with_param("n", "9000000"):with_param("i", index):load():await())
  assert(#entity.content == 9000000)
end
