local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

lull.on_error(function(err, traceback, where)
  local file = io.open("/nowhere/errors.log", "a")
  file:write(where)
end)
api("/users/7"):load():on_completion(function() error("first") end):await()
