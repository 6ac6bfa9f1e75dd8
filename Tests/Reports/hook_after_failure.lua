local lull = require "lull"
local api = lull.service {
  base_url = "https://api.test",
  networking = function() return { status = 503 } end,
}
api("/queue"):load():on_failure(function(err)
  error { code = err.http_status }
end):await()
