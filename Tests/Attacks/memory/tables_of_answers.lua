-- expects: limit
local lull = require "lull"

local api = lull.service(...)
local kept = {}
while true do
  kept[#kept + 1] = assert(api("/json"):with_param("n", "100000"):with_param("i", #kept):load():await()).content
end
