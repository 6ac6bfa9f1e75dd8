local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

local function deepest() lull.sleep(0) error({ code = 7 }) end

api("/users/7"):add_observer(function(_, event)
  if event ~= "new_data" then return end
  local outer = lull.spawn(function()
    local inner = lull.spawn(function() deepest() end)
    inner:await()
  end)
  outer:await()
end)
api("/users/7"):load():await()
lull.sleep(0.05)
