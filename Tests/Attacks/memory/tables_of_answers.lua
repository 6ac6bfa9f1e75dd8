-- expects: limit
local lull = require "lull"

local api = lull.service(...)
local kept = {}
while true do
  kept[#kept + 1] = assert(api("/json?n=100000&i=" .. #kept):load():await()).content
end
