local lull = require "lull"
local api = lull.service {
  base_url = "https://user:secret@api.test",
  networking = function() return { status = 404, headers = { ["Content-Type"] = "text/plain" }, body = "no" } end,
}

local function fetch(path)
  return assert(api(path):load():await())
end

print(fetch("/users/7").content)
