local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

lull.log.handler = function(category, message) error("no " .. category) end
lull.log.enabled = { "network" }
api("/users/7"):load():await()
lull.log.enabled = {}
