local lull = require "lull"
local api = lull.service {
  base_url = "https://api.test",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "text/plain" }, body = "x" } end,
}
api:transform("/**", function(content) return content.price end)
for i = 1, 10 do api("/items/" .. i):load():await() end
api:transform("/**", function(content) return content:price() end, { action = "replace" })
for i = 1, 3 do api("/items/" .. i):load():await() end
