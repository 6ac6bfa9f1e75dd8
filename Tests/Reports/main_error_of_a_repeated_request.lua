local lull = require "lull"
local api = lull.service { base_url = "https://api.test", networking = function() return { status = 500 } end }
local request = api("/users/7"):load()
for _ = 1, 2 do
  request:await()
  request = request:repeated():start()
end
assert(request:await())
