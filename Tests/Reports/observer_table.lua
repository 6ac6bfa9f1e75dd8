local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

local observer = {}
function observer:resource_changed(resource, event)
  if event == "new_data" then self.view:update(resource) end
end
api("/users/7"):add_observer(observer)
api("/users/7"):load():await()
