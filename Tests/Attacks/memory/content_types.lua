-- expects: limit
local lull = require "lull"

local megabyte = ("x"):rep(1 << 20)
local api = lull.service("http://a.invalid")

local types = {}
for index = 1, 3000 do types[index] = megabyte end
api:transform("/", function(content) return content end, { content_types = types })
