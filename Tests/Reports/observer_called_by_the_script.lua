local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

local resource = api("/users/7")
resource:add_observer(function(_, event)
  if event == "new_data" then error("not today") end
end)

local function publish(name)
  resource:override_local_content { name = name }
end
publish("Ada")
