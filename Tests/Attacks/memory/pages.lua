-- expects: limit
local lull = require "lull"

local kept = {}
for page in lull.service(...)("/json"):with_param("n", "300000"):pages{ page = { param = "page" } } do
  kept[#kept + 1] = page
  print(#kept)
end
