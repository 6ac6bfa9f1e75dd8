local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

lull.spawn(function()
  local resource = api("/users/7")
  resource:request("GET", { json = {}, text = "x" })
end)
lull.spawn(function() api:resource({ id = 7 }) end)
lull.spawn(function() lull.sleep("soon") end)
lull.sleep(0.01)
