local lull = require "lull"
local api = lull.service {
  base_url = "https://api.test",
  networking = function(http)
    return { status = 200, body = http.boddy }
  end,
}
api("/users"):post({ text = "x" }):await()
