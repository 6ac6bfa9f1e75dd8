local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

local resource = api("/users/7")
for i = 1, 1500 do
  resource:add_observer(function(_, event)
    if event == "new_data" then error("overflow") end
  end)
end
resource:load():await()
