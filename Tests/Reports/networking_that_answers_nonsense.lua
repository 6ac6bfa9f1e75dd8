local lull = require "lull"
local api = lull.service {
  base_url = "https://api.test",
  networking = function() return { status = "fine" } end,
}
api("/users"):load():await()
