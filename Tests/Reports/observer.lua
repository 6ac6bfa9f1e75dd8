local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

local function show(user)
  print(user.address.city)
end

local resource = api("/users/7")
local observation = resource:observe(function(r, event)
  if event == "new_data" then show(r.content) end
end)
resource:load():await()
observation:stop()
