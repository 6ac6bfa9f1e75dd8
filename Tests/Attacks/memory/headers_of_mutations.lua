-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)
local api = lull.service("http://a.invalid")

api:configure{
  mutate_requests = function(request)
    for index = 1, 3000 do request.headers["name-" .. index] = megabyte end
  end,
}
api("/a"):load():await()
