local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

api("/users/7"):cancel_load_if_unobserved(0, function() error("late") end)
lull.sleep(0.05)
