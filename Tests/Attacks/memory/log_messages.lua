-- expects: either
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)
local api = lull.service("http://a.invalid")

lull.log.enabled = "all"
lull.log.handler = function() end
for index = 1, 60 do
  api("/" .. index):override_local_content(megabyte .. index)
  api("/" .. index .. megabyte):load():await()
end
