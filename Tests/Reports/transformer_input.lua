local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test/v1",
  networking = function() return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = "{}" } end,
}

api:transform("/users/*", function(content) return content end, {
  input = function(content) return content.version < 2 end,
})
api("/users/7"):load():await()
