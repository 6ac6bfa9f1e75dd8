local lull = require "lull"
local api = lull.service {
  base_url = "https://api.test",
  networking = function()
    return { status = 200, headers = { ["Content-Type"] = "application/json" }, body = '{"a": }' }
  end,
}
assert(api("/users/7"):load():await())
