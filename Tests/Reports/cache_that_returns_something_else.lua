local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

api:configure { pipeline = { model = { cache = {
  key = function() return "k" end, read = function() return "text" end,
  write = function() end, remove = function() end,
} } } }
api("/users/7"):load_if_needed():await()
