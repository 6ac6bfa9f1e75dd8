local lull = require "lull"
local api = lull.service("https://api.test")

lull.spawn(function()
  local resource = api("/users/7")
  resource:request("GET", { jsn = {} })
end)
lull.spawn(function() api:resource({ id = 7 }) end)
lull.spawn(function() lull.sleep("soon") end)
lull.sleep(0.01)
